import { setTimeout as sleep } from 'node:timers/promises'
import { eventsPath } from '@hufu/contract/events'
import { addPicture } from '@hufu/contract/feedback'
import { feedbackPicturePath } from '@hufu/contract/feedback-rules'
import { loginByPassword } from '@hufu/contract/login'
import { setUserStatus } from '@hufu/contract/merchant-users'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { changeSite } from '../../apps/server/src/features/site/site.service.ts'
import { changeStatus } from '../../apps/server/src/features/users/users.service.ts'
import { type TestSite, times } from '../../apps/server/test/test-app.ts'
import { leeway } from '../../tools/checks/time-limit.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { type Browser, few, type Harness, openHarness, type Person } from '../harness/harness.ts'
import { allEnded, openStream } from '../harness/stream.ts'
import { knockEverywhere, letIn, refusedEverywhere } from './entry-points.ts'
import { hammer, lastAccepted, underWay } from './hammer.ts'
import { allEndpoints, bodyFor } from './samples.ts'
import { dataOf, photo, upload } from './uploads.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
})
afterAll(() => t.close())

test('A21 a person who is disabled in mid-session is refused everywhere within a second, and comes back when enabled', async () => {
  const lasted: number[] = []
  for (let round = 0; round < few(20, 2); round++) {
    const { id } = await t.person(site)
    const sessions = await Promise.all(times(3, () => t.session(site, id)))
    const load = hammer([...sessions, ...sessions])
    await underWay(load)
    const sent = performance.now()
    await changeStatus(t.deps, site.id, id, 'disabled', 'attack')
    await sleep(1_200)
    lasted.push(lastAccepted(await load.stop(), sent))
    for (const session of sessions) expect((await session.call(userInfo)).status).toBe(401)
  }
  figure(`last accepted after ${lasted.length} people were disabled`, Math.max(...lasted), ['<=', 1_000 * leeway], 'ms')
})

/** Somebody who signs in again and again, in browser after browser, while it is tried to keep them out. */
function signInAgainAndAgain(account: string, password: string) {
  let stopped = false
  const browsers: Browser[] = []
  const work = (async () => {
    while (!stopped) {
      const browser = t.browser(site)
      if ((await browser.call(loginByPassword, { account, password })).status === 200) browsers.push(browser)
    }
  })()
  return {
    async stop(): Promise<Browser[]> {
      stopped = true
      await work
      return browsers
    },
  }
}

test('A21 an operator disables somebody while caches fill and sign-ins run: refused within a second, and nothing lives again when enabled', async () => {
  const operator = await callerOf(t, 'merchantAdmin', site)
  const lasted: number[] = []
  let begun = 0
  for (let round = 0; round < few(20, 2); round++) {
    const { id, username, password } = await t.person(site)
    const sessions = await Promise.all(times(3, () => t.session(site, id)))
    const load = hammer([...sessions, ...sessions])
    const door = signInAgainAndAgain(username, password)
    await Promise.all([underWay(load), sleep(150)])
    const sent = performance.now()
    expect((await operator.call(setUserStatus, { id, status: 'disabled' })).status).toBe(200)
    await sleep(1_100)
    const late = await door.stop()
    begun += late.length
    expect((await operator.call(setUserStatus, { id, status: 'active' })).status).toBe(200)
    await sleep(100)
    lasted.push(lastAccepted(await load.stop(), sent))
    for (const browser of [...sessions, ...late]) expect((await browser.call(userInfo)).status).toBe(401)
  }
  expect(begun, 'sign-ins at the same time').toBeGreaterThan(0)
  console.log(`A21: 0 of ${begun} sessions that were begun at the same time live again`)
  figure(
    `last accepted after ${lasted.length} were disabled by an operator`,
    Math.max(...lasted),
    ['<=', 1_000 * leeway],
    'ms',
  )
})

test('A21 a site that is disabled answers nobody any more within a second', async () => {
  const lasted: number[] = []
  for (let round = 0; round < few(10, 2); round++) {
    const own = await t.codeSite()
    const { id } = await t.person(own)
    const session = await t.session(own, id)
    const load = hammer([session, session])
    await underWay(load)
    const sent = performance.now()
    await changeSite(t.deps, own.id, { status: 'disabled' }, 'attack')
    await refusedEverywhere(t, own, session, 'SITE_DISABLED')
    lasted.push(lastAccepted(await load.stop(), sent))
  }
  figure(`last accepted after ${lasted.length} sites were disabled`, Math.max(...lasted), ['<=', 1_000 * leeway], 'ms')
})

test('A21 the event streams of a person who is disabled end within a second in every process, those of others stay', async () => {
  const lasted: number[] = []
  for (let round = 0; round < few(20, 2); round++) {
    const [victim, other] = await Promise.all(times(2, async () => t.session(site, (await t.person(site)).id)))
    if (!victim || !other) throw new Error('nobody')
    const listen = (who: Person) => Promise.all(inject('apiUrls').map((url) => openStream(site, who, url)))
    const [streams, others] = [await listen(victim), await listen(other)]
    expect([...streams, ...others].map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const sent = performance.now()
    await changeStatus(t.deps, site.id, victim.id, 'disabled', 'attack')
    await allEnded(streams)
    await sleep(200)
    for (const { endedAt = Number.POSITIVE_INFINITY } of streams) lasted.push(endedAt - sent)
    expect(others.map(({ endedAt }) => endedAt)).toEqual([undefined, undefined])
    expect((await openStream(site, victim)).status).toBe(401)
    for (const stream of others) stream.close()
  }
  figure(
    `last of ${lasted.length} streams of disabled people ended after`,
    Math.max(...lasted),
    ['<=', 1_000 * leeway],
    'ms',
  )
})

test('A21 a second after it a person who was disabled opens no call, file, picture, navigation or stream', async () => {
  const person = await callerOf(t, 'merchantAdmin', site)
  const picture = dataOf<{ id: string }>(await upload(site, person, addPicture, await photo())).id
  expect((await person.get(feedbackPicturePath(picture))).status).toBe(200)
  await changeStatus(t.deps, site.id, person.id as Person['id'], 'disabled', 'attack')
  await refusedEverywhere(t, site, person, 'SESSION_REMOVED')
  const met = await knockEverywhere(t, site, person, picture)
  expect(letIn(met)).toEqual([])
  figure(`of ${met.length} doors that let a disabled person in`, letIn(met).length, ['=', 0])
})

test('A21 a second after it a site that was disabled answers no call at all, and its streams are closed', async () => {
  const own = await t.codeSite()
  const person = await callerOf(t, 'merchantAdmin', own)
  const streams = await Promise.all(inject('apiUrls').map((url) => openStream(own, person, url)))
  await changeSite(t.deps, own.id, { status: 'disabled' }, 'attack')
  await Promise.all([refusedEverywhere(t, own, person, 'SITE_DISABLED'), allEnded(streams)])
  const met = await knockEverywhere(t, own, person)
  for (const endpoint of allEndpoints) {
    const { body, headers } = bodyFor(endpoint)
    const { status, code } = await person.post(endpoint.path, body, headers)
    met.push({ door: endpoint.path, status, code, location: undefined })
  }
  // Of a stream only the status is known.
  const open = met.filter(({ door, status, code }) => (door === eventsPath ? status < 400 : code !== 'SITE_DISABLED'))
  expect(open).toEqual([])
  figure(`of ${met.length} doors of a disabled site that were open`, open.length, ['=', 0])
})
