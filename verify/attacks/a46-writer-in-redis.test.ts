import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { changeUsername } from '@hufu/contract/account'
import { removeDevice } from '@hufu/contract/devices'
import { queryUsers } from '@hufu/contract/merchant-users'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { changeStatus } from '../../apps/server/src/features/users/users.service.ts'
import { invalidateUser } from '../../apps/server/src/shared/sessions/sessions.ts'
import { makeOperator } from '../../apps/server/test/enrolled.ts'
import { fresh, sessionOf, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { leeway } from '../../tools/checks/time-limit.ts'
import { freePort } from '../../tools/stores/ports.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Api, startApi } from '../harness/environment.ts'
import { type Browser, few, freshAddress, type Harness, openHarness, type User } from '../harness/harness.ts'
import { hammer } from './hammer.ts'
import {
  forgeriesOf,
  formerSessionKey,
  formerUserKey,
  sessionKey,
  sessionState,
  userKey,
  userState,
} from './redis-writer.ts'

let apis: (Api & { metrics: number })[]
let t: Harness
let site: TestSite
let elsewhere: TestSite
beforeAll(async () => {
  apis = await Promise.all(
    times(2, async () => {
      const metrics = await freePort()
      const environment = { ...inject('environment'), HUFU_METRICS_PORT: String(metrics) }
      return { ...(await startApi(environment, inject('logFolder'))), metrics }
    }),
  )
  t = await openHarness(
    inject('environment'),
    apis.map(({ url }) => url),
  )
  ;[site, elsewhere] = [await t.codeSite(), await t.codeSite()]
})
afterAll(async () => {
  await t.close()
  await Promise.all(apis.map((api) => api.stop()))
})

const put = (key: string, text: string) => t.deps.cache.set(key, text)
const get = async (key: string) => (await t.deps.cache.get(key)) ?? ''

/** Looks whose entry was forged, of both processes. */
async function forgedReads(): Promise<number> {
  const texts = await Promise.all(
    apis.map(async ({ metrics }) => (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()),
  )
  const counts = texts.map((text) => Number(/^hufu_cache_reads_total\{result="forged"\} (\d+)$/m.exec(text)?.[1] ?? 0))
  return counts.reduce((sum, count) => sum + count, 0)
}

/** A user without rights whose session and account are cached. */
async function cached(at = site): Promise<User> {
  const user = await t.session(at, (await t.user(at)).id)
  await warm(user, at)
  return user
}

async function warm(user: User, at = site): Promise<void> {
  async function filled() {
    for (const _ of apis) await user.call(userInfo)
    return (await Promise.all([sessionKey(at, user), userKey(at, user)].map(get))).every((text) => text.length > 1)
  }
  await expect.poll(filled).toBe(true)
}

/** What all processes answer. */
const asked = (ask: () => Promise<{ status: number; code?: string | undefined }>) =>
  Promise.all(apis.map(async () => ask().then(({ status, code }) => code ?? status)))

const info = (browser: Browser) => asked(() => browser.call(userInfo))
/** From an address of its own each time, so that no limit is met by chance. */
const asOperator = (browser: Browser) => asked(() => browser.call(queryUsers, {}, freshAddress()))
const asChecked = (browser: Browser) =>
  asked(() => browser.call(changeUsername, { username: fresh.username() }, freshAddress()))

/** Whether the product takes the session for checked. */
const seemsChecked = (browser: Browser) =>
  asked(async () => {
    const { status, data } = await browser.call(userInfo)
    return data?.twoFactor ? { status } : { status, code: 'TWO_FACTOR_REQUIRED' }
  })

const gained = (answers: (string | number)[]) => answers.filter((answer) => answer === 200).length

test('A46 a session, a right or a step-up that was written into Redis permits nothing, and is counted', async () => {
  let [tries, won] = [0, 0]
  const before = await forgedReads()
  for (let round = 0; round < few(10, 1); round++) {
    const [victim, attacker] = [await cached(), await cached()]
    const secret = randomBytes(32).toString('base64url')
    const thief = t.browser(site)
    thief.cookies.set('__Host-hufu', `${victim.id}.${sessionOf(victim)}.${secret}`)
    const genuine = { session: await get(sessionKey(site, victim)), user: await get(userKey(site, attacker)) }
    for (const key of [sessionKey(site, victim), formerSessionKey(site, victim)])
      for (const text of forgeriesOf(key, sessionState(victim, secret), genuine.session)) {
        await put(key, text)
        won += gained(await info(thief))
        tries++
      }
    for (const key of [userKey(site, attacker), formerUserKey(site, attacker)])
      for (const text of forgeriesOf(key, userState(attacker), genuine.user)) {
        await put(key, text)
        won += gained(await asOperator(attacker))
        tries++
      }
    await put(userKey(site, attacker), genuine.user)
    const own = (attacker.cookies.get('__Host-hufu') ?? '').split('.')[2] ?? ''
    for (const text of forgeriesOf(sessionKey(site, attacker), sessionState(attacker, own), genuine.session)) {
      await put(sessionKey(site, attacker), text)
      won += gained(await asChecked(attacker))
      tries++
    }
    // The victim notices nothing: PostgreSQL answers.
    expect(await info(victim)).toEqual([200, 200])
    expect(await info(attacker)).toEqual([200, 200])
  }
  figure(`forged entries that opened something, of ${tries}`, won, ['=', 0])
  figure('looks that were counted as forged', (await forgedReads()) - before, ['>=', tries / 2])
})

test('A46 entries that are moved to another session, user, kind or site count for nothing there', async () => {
  const operator = await cached()
  await makeOperator(t.deps, site.id, operator.id, ['READ', 'WRITE', 'ADMIN'], 'attack')
  await sleep(1_000)
  for (const key of [sessionKey(site, operator), userKey(site, operator)]) await t.deps.cache.del(key)
  await warm(operator)
  expect(await asOperator(operator)).toEqual([200, 200])
  const user = await cached()
  const abroad = await cached(elsewhere)
  const before = await forgedReads()
  const moves: [string, string][] = [
    [userKey(site, operator), userKey(site, user)],
    [userKey(elsewhere, abroad), userKey(site, user)],
    [sessionKey(site, operator), userKey(site, user)],
    [sessionKey(site, operator), sessionKey(site, user)],
    [userKey(site, operator), sessionKey(site, user)],
  ]
  let won = 0
  for (const [from, to] of moves) {
    const [foreign, own] = [await get(from), await get(to)]
    expect(foreign.length, from).toBeGreaterThan(1)
    await put(to, foreign)
    won += gained(await asOperator(user))
    expect((await user.call(userInfo)).data?.id).toBe(user.id)
    await put(to, own)
  }
  figure(`moved entries that opened something, of ${moves.length}`, won, ['=', 0])
  figure('moved entries that were counted as forged', (await forgedReads()) - before, ['>=', moves.length])
})

interface Replay {
  /** What stands in the copies. */
  marker: string
  /** Makes the state that the entries are to hold. */
  before(user: User): Promise<void>
  /** What was changed since. */
  change(user: User): Promise<unknown>
  ask(user: User): Promise<(string | number)[]>
}

const replays: Record<string, Replay> = {
  'a removed session': {
    marker: '"ended":false',
    before: async () => {},
    change: async (user) => (await t.session(site, user.id)).call(removeDevice, { id: sessionOf(user) }),
    ask: info,
  },
  'a disabled account': {
    marker: '"status":"active"',
    before: async () => {},
    change: (user) => changeStatus(t.deps, site.id, user.id, 'disabled', 'attack'),
    ask: info,
  },
  'a right that was taken away': {
    marker: 'ADMIN',
    before: (user) => makeOperator(t.deps, site.id, user.id, ['READ', 'WRITE', 'ADMIN'], 'attack'),
    async change(user) {
      await t.deps.pool.query('DELETE FROM permission WHERE user_id = $1', [user.id])
      await invalidateUser(t.deps, site.id, user.id)
    },
    ask: asOperator,
  },
  'a check that has run out': {
    marker: '"twoFactor":true',
    async before(user) {
      await t.deps.pool.query(
        "UPDATE session SET two_factor_at = now() - interval '10 minutes' + interval '6 seconds' WHERE id = $1",
        [sessionOf(user)],
      )
    },
    change: () => sleep(7_000),
    ask: seemsChecked,
  },
}

test.each(Object.entries(replays))(
  'A46 replayed copies are not used: %s',
  async (name, { marker, before, change, ask }) => {
    const rounds = few(5, 1)
    let accepted = 0
    for (let round = 0; round < rounds; round++) {
      const user = await t.session(site, (await t.user(site)).id)
      await before(user)
      // Later than what was just changed; a grant leaves a tombstone, which an attacker takes away.
      await sleep(1_000)
      for (const key of [sessionKey(site, user), userKey(site, user)]) await t.deps.cache.del(key)
      await warm(user)
      const copies = await Promise.all(
        [sessionKey(site, user), userKey(site, user)].map(async (key) => [key, await get(key)] as const),
      )
      expect(copies.map(([, text]) => text).join('\n')).toContain(marker)
      await change(user)
      const changed = performance.now()
      // Written back without an expiry, over and over, over anything the product writes.
      while (performance.now() < changed + 1_000 * leeway + 1_000) {
        await sleep(50)
        for (const [key, text] of copies) await put(key, text)
        const late = performance.now() > changed + 1_000 * leeway
        const answers = await ask(user)
        if (late) accepted += gained(answers)
      }
    }
    figure(`${name}: calls that a copy opened a second after, in ${rounds} rounds`, accepted, ['=', 0])
  },
)

test('A46 a removal holds while its tombstones are deleted as fast as they come', async () => {
  const lasted: number[] = []
  for (let round = 0; round < few(10, 1); round++) {
    const victim = await cached()
    const own = await t.session(site, victim.id)
    const [key, copy] = [sessionKey(site, victim), await get(sessionKey(site, victim))]
    let stopped = false
    const writer = (async () => {
      for (let turn = 0; !stopped; turn++) await (turn % 2 === 0 ? t.deps.cache.del(key) : put(key, copy))
    })()
    const load = hammer(times(4, () => victim))
    await sleep(100)
    const sent = performance.now()
    expect((await own.call(removeDevice, { id: sessionOf(victim) })).status).toBe(200)
    await sleep(1_000 * leeway + 1_000)
    const { accepted } = await load.stop()
    stopped = true
    await writer
    expect(accepted.filter((at) => at < sent).length, 'calls that were admitted before').toBeGreaterThan(0)
    lasted.push(Math.max(0, ...accepted.map((at) => at - sent)))
  }
  figure(
    'without tombstones, a removed session was last accepted after',
    Math.max(...lasted),
    ['<=', 1_000 * leeway],
    'ms',
  )
})
