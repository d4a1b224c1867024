import { setTimeout as sleep } from 'node:timers/promises'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { changeSite } from '../apps/server/src/features/site/site.service.ts'
import { changeStatus } from '../apps/server/src/features/users/users.service.ts'
import { type TestSite, times } from '../apps/server/test/test-app.ts'
import { hammer } from './hammer.ts'
import { few, type Harness, openHarness } from './harness.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
})
afterAll(() => t.close())

test('A21 a person who is disabled in mid-session is refused everywhere within a second, and comes back when enabled', async () => {
  const lasted: number[] = []
  for (let round = 0; round < few(20, 5); round++) {
    const { id } = await t.person(site)
    const sessions = await Promise.all(times(3, () => t.session(site, id)))
    const load = hammer([...sessions, ...sessions])
    await sleep(40)
    const sent = performance.now()
    await changeStatus(t.deps, site.id, id, 'disabled', 'attack')
    await sleep(1_200)
    const { accepted } = await load.stop()
    lasted.push(Math.max(0, ...accepted.map((at) => at - sent)))
    for (const session of sessions) expect((await session.call(userInfo)).status).toBe(401)
  }
  const most = Math.max(...lasted)
  console.log(`A21: ${lasted.length} people disabled under load, last accepted ${most.toFixed(0)} ms after`)
  expect(most).toBeLessThanOrEqual(1_000)
})

test('A21 a site that is disabled answers nobody any more within a second', async () => {
  const lasted: number[] = []
  for (let round = 0; round < few(10, 3); round++) {
    const own = await t.codeSite()
    const { id } = await t.person(own)
    const session = await t.session(own, id)
    const load = hammer([session, session])
    await sleep(100)
    const sent = performance.now()
    await changeSite(t.deps, own.id, { status: 'disabled' }, 'attack')
    await sleep(1_500)
    const { accepted } = await load.stop()
    lasted.push(Math.max(0, ...accepted.map((at) => at - sent)))
    expect((await session.call(userInfo)).code).toBe('SITE_DISABLED')
  }
  const most = Math.max(...lasted)
  console.log(`A21: ${lasted.length} sites disabled under load, last accepted ${most.toFixed(0)} ms after`)
  expect(most).toBeLessThanOrEqual(1_000)
})
