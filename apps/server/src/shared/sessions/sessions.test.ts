import { setTimeout as sleep } from 'node:timers/promises'
import { removeDevice } from '@hufu/contract/devices'
import { queryUsers } from '@hufu/contract/merchant-users'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { leeway } from '../../../../../tools/checks/time-limit.ts'
import { type Member, member, signInAgain } from '../../../test/account-user.ts'
import { sessionOf, startTestApp, type TestApp, type TestSite, testKeys } from '../../../test/test-app.ts'
import { parseKeys } from '../../platform/crypto/secrets.ts'
import type { UserId } from '../../platform/ids.ts'
import { exposition } from '../../platform/metrics/metrics.ts'
import { signEntry, verifyEntry } from '../../platform/redis/cache-entry.ts'
import { invalidateUser } from './sessions.ts'

const [first, second] = [testKeys(1), testKeys(2)]
let t: TestApp
/** Processes on the same stores in the middle of a rotation, and one that knows nothing of it yet. */
let rotated: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp({ HUFU_KEYS: first })
  site = await t.codeSite()
  const environment = { HUFU_DATABASE_URL: t.deps.config.databaseUrl, HUFU_KEYS: `${second},${first}` }
  rotated = await startTestApp(environment)
})
afterAll(() => Promise.all([t.close(), rotated.close()]))

type TestUser = Pick<Member, 'id' | 'cookies'>

const sessionKey = (user: TestUser) => `{${site.id}:${user.id}}:s2:${sessionOf(user)}`
const userKey = (user: TestUser) => `{${site.id}:${user.id}}:u2`

type Result = 'hit' | 'miss' | 'forged'

/** How many cache reads had each result. */
async function reads(): Promise<Record<Result, number>> {
  const text = await exposition([])
  const of = (result: Result) => Number(new RegExp(`hufu_cache_reads_total{result="${result}"} (\\d+)`).exec(text)?.[1])
  return { hit: of('hit'), miss: of('miss'), forged: of('forged') }
}

/** One call, and the result of its cache read. */
async function looked(user: TestUser, at = t): Promise<{ code: string | number; result: Result | undefined }> {
  const before = await reads()
  const browser = at.browser(site)
  for (const [name, value] of user.cookies) browser.cookies.set(name, value)
  const { status, code } = await browser.call(userInfo)
  const after = await reads()
  const result = (['hit', 'miss', 'forged'] as const).find((one) => after[one] > before[one])
  return { code: code ?? status, result }
}

/** A user whose session and account are both cached. */
async function cachedUser(): Promise<Member> {
  const user = await member(t, site)
  await expect.poll(async () => (await looked(user)).result).toBe('hit')
  return user
}

const get = async (key: string) => (await t.deps.cache.get(key)) ?? ''
const put = (key: string, text: string, ms = 30_000) => t.deps.cache.set(key, text, 'PX', ms)

interface Entry {
  from: number
  until: number
  state: Record<string, unknown>
}

/** A cache entry, changed and signed again as only the product can. */
async function rewrite(key: string, change: (entry: Entry) => Entry): Promise<void> {
  const { keys } = t.deps.config
  const body = verifyEntry(keys, key, await get(key))
  if (!body || body === 'forged') throw new Error(`nothing stands under ${key}`)
  await put(key, signEntry(keys, key, JSON.stringify(change(JSON.parse(body)))))
}

test('D101 entries carry a signature, live 30 seconds and are read from the cache while they do', async () => {
  const user = await cachedUser()
  for (const key of [sessionKey(user), userKey(user)]) {
    expect(await get(key)).toMatch(/^1\.[\w-]{43}\.\{/)
    expect(await t.deps.cache.pttl(key)).toBeLessThanOrEqual(30_000)
  }
  expect(await looked(user)).toEqual({ code: 200, result: 'hit' })
})

test('D101 a right written into Redis is not granted and is counted as forged', async () => {
  const user = await cachedUser()
  const rights = { MERCHANT: ['READ', 'WRITE', 'ADMIN'] }
  const genuine = await get(userKey(user))
  const body = genuine.slice(genuine.indexOf('{'))
  const { state } = JSON.parse(body) as Entry
  const forgeries = [
    JSON.stringify({ ...state, permission: rights }),
    JSON.stringify({ ...JSON.parse(body), state: { ...state, permission: rights } }),
    genuine.replace('"permission":{}', `"permission":${JSON.stringify(rights)}`),
    signEntry(
      parseKeys(testKeys(1)),
      userKey(user),
      body.replace('"permission":{}', `"permission":${JSON.stringify(rights)}`),
    ),
  ]
  for (const text of forgeries) {
    expect(text).toContain('ADMIN')
    await put(userKey(user), text)
    expect(await looked(user)).toEqual({ code: 200, result: 'forged' })
    expect((await user.call(queryUsers, {})).code).toBe('FORBIDDEN')
  }
})

test('D101 the names of version 0.1.0 are not read at all', async () => {
  const user = await cachedUser()
  const other = await t.signIn(site)
  const entry = await get(userKey(user))
  const state = { ...(JSON.parse(entry.slice(entry.indexOf('{'))) as Entry).state, id: other.id }
  await put(`{${site.id}:${user.id}}:u`, JSON.stringify(state))
  expect(await looked(user)).toEqual({ code: 200, result: 'hit' })
  expect((await user.call(userInfo)).data?.id).toBe(user.id)
})

test('D101 entries of others, of other sessions and of the other kind are forged where they do not belong', async () => {
  const [user, other] = [await cachedUser(), await cachedUser()]
  const moves = [
    [userKey(other), userKey(user)],
    [sessionKey(other), sessionKey(user)],
    [userKey(user), sessionKey(user)],
    [sessionKey(user), userKey(user)],
  ] as const
  for (const [from, to] of moves) {
    const [foreign, own] = [await get(from), await get(to)]
    await put(to, foreign)
    expect((await looked(user)).result, `${from} under ${to}`).toBe('forged')
    await put(to, own)
  }
})

test('D103 an entry past its own end counts for nothing, however long Redis keeps it', async () => {
  const user = await cachedUser()
  const now = t.deps.clock.now()
  await rewrite(sessionKey(user), (entry) => ({ ...entry, until: now - 1_000 }))
  expect(await looked(user)).toEqual({ code: 200, result: 'miss' })
  await rewrite(sessionKey(user), (entry) => ({ ...entry, until: now - 61_000 }))
  expect(await looked(user)).toEqual({ code: 200, result: 'forged' })
  await rewrite(sessionKey(user), (entry) => ({ ...entry, until: now + 20_000 }))
  expect(await looked(user)).toEqual({ code: 200, result: 'hit' })
})

test('D103 a copy from before a removal is refused when it is put back over the tombstone', async () => {
  const victim = await cachedUser()
  const own = await signInAgain(t, site, victim)
  const copies = await Promise.all(
    [sessionKey(victim), userKey(victim)].map(async (key) => [key, await get(key)] as const),
  )
  expect((await own.call(removeDevice, { id: sessionOf(victim) })).status).toBe(200)
  for (const [key, text] of copies) await put(key, text)
  await expect.poll(async () => (await looked(victim)).code).toBe('SESSION_REMOVED')
  expect((await looked(victim, rotated)).code).toBe('SESSION_REMOVED')
})

test('D102 during a rotation every process reads what it has the key of, and asks PostgreSQL for the rest', async () => {
  const user = await cachedUser()
  expect(await looked(user, rotated)).toEqual({ code: 200, result: 'hit' })
  await t.deps.cache.del(sessionKey(user), userKey(user))
  await expect.poll(async () => (await looked(user, rotated)).result).toBe('hit')
  expect(await get(sessionKey(user))).toMatch(/^2\./)
  expect(await looked(user)).toEqual({ code: 200, result: 'miss' })
})

test('D104 a change leaves a tombstone under the names of 0.1.0 as well', async () => {
  const user = await cachedUser()
  const own = await signInAgain(t, site, user)
  expect((await own.call(removeDevice, { id: sessionOf(user) })).status).toBe(200)
  await invalidateUser(t.deps, site.id, user.id as UserId)
  const prefix = `{${site.id}:${user.id}}`
  const names = [sessionKey(user), `${prefix}:s:${sessionOf(user)}`, userKey(user), `${prefix}:u`]
  for (const name of names) {
    expect(await get(name), name).toBe('-')
    expect(await t.deps.cache.ttl(name)).toBeGreaterThan(30)
  }
})

test('D104 a removal by a process of 0.1.0, which knows the old names alone, is received', async () => {
  const user = await cachedUser()
  await t.deps.pool.query("UPDATE session SET ended_at = now(), end_reason = 'removed' WHERE id = $1", [
    sessionOf(user),
  ])
  await t.deps.cache.set(`{${site.id}:${user.id}}:s:${sessionOf(user)}`, '-', 'EX', 60)
  const channel = `live:${Number.parseInt(site.id.slice(0, 8), 16) % 64}`
  const wake = { site: site.id, user: user.id, teller: 'former', at: performance.now() }
  await t.deps.cache.publish(channel, JSON.stringify(wake))
  await expect
    .poll(async () => (await looked(user)).code, { timeout: 1_000 * leeway, interval: 20 })
    .toBe('SESSION_REMOVED')
  expect(await get(sessionKey(user))).not.toBe('-')
})

test('D105 messages of another shape are ignored, and nothing stops for them', async () => {
  const user = await cachedUser()
  const channel = `live:${Number.parseInt(site.id.slice(0, 8), 16) % 64}`
  const strange = ['', '{', 'null', '[]', '{"site":1}', `{"site":"${site.id}","user":"x","at":1}`, 'x'.repeat(100_000)]
  for (const text of strange) await t.deps.cache.publish(channel, text)
  await sleep(100)
  expect(await looked(user)).toEqual({ code: 200, result: 'hit' })
})
