import { setTimeout as sleep } from 'node:timers/promises'
import { removeDevice, removeOtherDevices } from '@hufu/contract/devices'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { sessionOf, type TestSite, times } from '../apps/server/test/test-app.ts'
import { hammer } from './hammer.ts'
import { few, type Harness, openHarness, type Person } from './harness.ts'
import { openStream } from './stream.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
})
afterAll(() => t.close())

const keyOf = (person: Person) => `{${site.id}:${person.id}}:s:${sessionOf(person)}`

async function twoSessions() {
  const { id } = await t.person(site)
  return { victim: await t.session(site, id), own: await t.session(site, id) }
}

test('A20 a removed session is refused by every process within a second, whatever fills the caches meanwhile', async () => {
  const lasted: number[] = []
  for (let round = 0; round < few(40, 8); round++) {
    const { victim, own } = await twoSessions()
    const load = hammer(times(8, () => victim))
    // Copies run out while it is removed, so that fills race with the removal.
    await sleep(40)
    await t.deps.cache.del(keyOf(victim))
    const sent = performance.now()
    const removal = round % 2 === 0 ? own.call(removeDevice, { id: sessionOf(victim) }) : own.call(removeOtherDevices)
    await t.deps.cache.del(keyOf(victim))
    expect((await removal).status).toBe(200)
    await sleep(1_200)
    const { accepted } = await load.stop()
    lasted.push(Math.max(0, ...accepted.map((at) => at - sent)))
    expect((await victim.call(userInfo)).code).toBe('SESSION_REMOVED')
  }
  const most = Math.max(...lasted)
  console.log(`A20: ${lasted.length} removals under load on two processes, last accepted ${most.toFixed(0)} ms after`)
  expect(most).toBeLessThanOrEqual(1_000)
})

test('A20 the event streams of a removed session end within a second in every process, those of others stay', async () => {
  const lasted: number[] = []
  for (let round = 0; round < few(40, 8); round++) {
    const { victim, own } = await twoSessions()
    const listen = (who: Person) => Promise.all(inject('apiUrls').map((url) => openStream(site, who, url)))
    const [streams, others] = [await listen(victim), await listen(own)]
    expect([...streams, ...others].map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const sent = performance.now()
    const removal = round % 2 === 0 ? own.call(removeDevice, { id: sessionOf(victim) }) : own.call(removeOtherDevices)
    expect((await removal).status).toBe(200)
    await sleep(1_000)
    for (const { endedAt = Number.POSITIVE_INFINITY } of streams) lasted.push(endedAt - sent)
    expect(others.map(({ endedAt }) => endedAt)).toEqual([undefined, undefined])
    expect((await openStream(site, victim)).status).toBe(401)
    for (const stream of others) stream.close()
  }
  const most = Math.max(...lasted)
  console.log(`A20: ${lasted.length} streams of removed sessions, the last ended ${most.toFixed(0)} ms after`)
  expect(most).toBeLessThanOrEqual(1_000)
})

test('A20 a copy that outlives a lost tombstone is worth nothing after 30 seconds', async () => {
  const { victim, own } = await twoSessions()
  await victim.call(userInfo)
  await expect.poll(() => t.deps.cache.get(keyOf(victim))).not.toBeNull()
  const [copy, left] = [await t.deps.cache.get(keyOf(victim)), await t.deps.cache.pttl(keyOf(victim))]
  expect((await own.call(removeDevice, { id: sessionOf(victim) })).status).toBe(200)
  const removed = performance.now()
  // What a replica holds that was promoted before the tombstone reached it.
  await t.deps.cache.set(keyOf(victim), copy ?? '', 'PX', left)
  expect((await victim.call(userInfo)).status).toBe(200)
  const load = hammer(
    times(4, () => victim),
    20,
  )
  await sleep(31_000)
  const { accepted } = await load.stop()
  const last = Math.max(...accepted) - removed
  console.log(`A20: with the tombstone lost, last accepted ${(last / 1_000).toFixed(1)} s after the removal`)
  expect(last).toBeLessThanOrEqual(30_000)
  expect((await victim.call(userInfo)).code).toBe('SESSION_REMOVED')
})
