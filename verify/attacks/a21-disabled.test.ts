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
import { type Browser, few, type Harness, openHarness, type User } from '../harness/harness.ts'
import { allEnded, openStream } from '../harness/stream.ts'
import { admitted, refusedEverywhere, tryEverywhere } from './entry-points.ts'
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

test('A21 a user who is disabled in mid-session is refused everywhere within a second, and comes back when enabled', async () => {
  const lasted: number[] = []
  for (let round = 0; round < few(20, 2); round++) {
    const { id } = await t.user(site)
    const sessions = await Promise.all(times(3, () => t.session(site, id)))
    const load = hammer([...sessions, ...sessions])
    await underWay(load)
    const sent = performance.now()
    await changeStatus(t.deps, site.id, id, 'disabled', 'attack')
    await sleep(1_200)
    lasted.push(lastAccepted(await load.stop(), sent))
    for (const session of sessions) expect((await session.call(userInfo)).status).toBe(401)
  }
  figure(`last accepted after ${lasted.length} users were disabled`, Math.max(...lasted), ['<=', 1_000 * leeway], 'ms')
})

/** A user who keeps signing in with new browsers while an operator disables the account. */
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

test('A21 an operator disables a user while caches fill and sign-ins run: refused within a second, and no session is restored when enabled', async () => {
  const operator = await callerOf(t, 'merchantAdmin', site)
  const lasted: number[] = []
  let begun = 0
  for (let round = 0; round < few(20, 2); round++) {
    const { id, username, password } = await t.user(site)
    const sessions = await Promise.all(times(3, () => t.session(site, id)))
    const load = hammer([...sessions, ...sessions])
    const signIns = signInAgainAndAgain(username, password)
    await Promise.all([underWay(load), sleep(150)])
    const sent = performance.now()
    expect((await operator.call(setUserStatus, { id, status: 'disabled' })).status).toBe(200)
    await sleep(1_100)
    const late = await signIns.stop()
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

test('A21 a disabled site refuses every caller within a second', async () => {
  const lasted: number[] = []
  for (let round = 0; round < few(10, 2); round++) {
    const own = await t.codeSite()
    const { id } = await t.user(own)
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

test('A21 the event streams of a user who is disabled end within a second in every process, those of others stay', async () => {
  const lasted: number[] = []
  for (let round = 0; round < few(20, 2); round++) {
    const [victim, other] = await Promise.all(times(2, async () => t.session(site, (await t.user(site)).id)))
    if (!victim || !other) throw new Error('no session')
    const listen = (who: User) => Promise.all(inject('apiUrls').map((url) => openStream(site, who, url)))
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
    `last of ${lasted.length} streams of disabled users ended after`,
    Math.max(...lasted),
    ['<=', 1_000 * leeway],
    'ms',
  )
})

test('A21 a second after it a user who was disabled opens no call, file, picture, navigation or stream', async () => {
  const user = await callerOf(t, 'merchantAdmin', site)
  const picture = dataOf<{ id: string }>(await upload(site, user, addPicture, await photo())).id
  expect((await user.get(feedbackPicturePath(picture))).status).toBe(200)
  await changeStatus(t.deps, site.id, user.id as User['id'], 'disabled', 'attack')
  await refusedEverywhere(t, site, user, 'SESSION_REMOVED')
  const met = await tryEverywhere(t, site, user, picture)
  expect(admitted(met)).toEqual([])
  figure(`of ${met.length} entry points that admitted a disabled user`, admitted(met).length, ['=', 0])
})

test('A21 a second after it a site that was disabled answers no call at all, and its streams are closed', async () => {
  const own = await t.codeSite()
  const user = await callerOf(t, 'merchantAdmin', own)
  const streams = await Promise.all(inject('apiUrls').map((url) => openStream(own, user, url)))
  await changeSite(t.deps, own.id, { status: 'disabled' }, 'attack')
  await Promise.all([refusedEverywhere(t, own, user, 'SITE_DISABLED'), allEnded(streams)])
  const met = await tryEverywhere(t, own, user)
  for (const endpoint of allEndpoints) {
    const { body, headers } = bodyFor(endpoint)
    const { status, code } = await user.post(endpoint.path, body, headers)
    met.push({ entryPoint: endpoint.path, status, code, location: undefined })
  }
  // Of a stream only the status is known.
  const open = met.filter(({ entryPoint, status, code }) =>
    entryPoint === eventsPath ? status < 400 : code !== 'SITE_DISABLED',
  )
  expect(open).toEqual([])
  figure(`of ${met.length} entry points of a disabled site that were open`, open.length, ['=', 0])
})
