import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from '../../../../../tools/stores/ports.ts'
import { testConfig, times } from '../../../test/test-app.ts'
import { newWechat, orderWechat, type WechatAccount, wechatCounts } from '../../../test/wechat-phone.ts'
import { createBreaker } from '../../integrations/breaker.ts'
import type { WechatOutcome } from '../../integrations/wechat/wechat.ts'
import { seal } from '../../platform/crypto/secrets.ts'
import { newSiteId } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { connectRedis, redisReady } from '../../platform/redis/client.ts'
import { createWechatTokens, sharedToken, type TokenDeps, withToken } from './wechat-token.ts'

const site = newSiteId()
const config = testConfig({ HUFU_DATABASE_URL: 'postgres://unused@127.0.0.1/none' })
const open: TokenDeps[] = []
let app: WechatAccount
let one: TokenDeps

beforeEach(async () => {
  app = await newWechat()
  one = await process()
})
afterEach(() => {
  for (const { redis } of open.splice(0)) redis.disconnect()
})

/** What one process of the product has. */
async function process(redisUrl = config.redisUrl, wechatTimeoutMs = 10_000): Promise<TokenDeps> {
  const redis = connectRedis(redisUrl, { timeoutMs: 1_000, ...config }, () => {})
  if (redisUrl === config.redisUrl) await redisReady(redis, config)
  const log = createLog({ logLevel: 'silent' })
  const deps = {
    redis,
    log,
    config,
    breaker: createBreaker(),
    wechatTokens: createWechatTokens(),
    deliveryFailures: { note: () => {} },
    wechatTimeoutMs,
  }
  open.push(deps)
  return deps
}

/** Holds the next command of that kind back until `go` is called. */
function holdBack({ redis }: TokenDeps, command: 'set' | 'eval', wanted: (words: unknown[]) => boolean = () => true) {
  const [arrived, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const send = redis[command].bind(redis) as (...words: unknown[]) => Promise<unknown>
  const hold = async (...words: unknown[]) => {
    if (wanted(words)) {
      arrived.resolve()
      await held.promise
    }
    return send(...words)
  }
  Object.assign(redis, { [command]: hold })
  return { arrived: arrived.promise, go: held.resolve }
}

/** WeChat has answered, and what it said is about to be stored. */
const storesToken = ([script]: unknown[]) => String(script).includes("'SET', KEYS[1]")

/** As if the pause after a refusal of WeChat had passed. */
async function passRest(): Promise<void> {
  const left = await one.redis.pttl(lockKey())
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThanOrEqual(2_000)
  await one.redis.del(lockKey())
}

const processes = (count: number) => Promise.all(times(count, () => process()))
const path = '/cgi-bin/stable_token'
const asked = async () => (await wechatCounts(app))[path] ?? 0
const tokenKey = () => `{wechat:${site}:${app.appId}}:token`
const lockKey = () => `{wechat:${site}:${app.appId}}:lock`
const take = (deps: TokenDeps) => sharedToken(deps, site, app)

async function tokenOf(deps: TokenDeps): Promise<string> {
  const outcome = await take(deps)
  if (outcome.kind !== 'done') throw new Error(`no token: ${outcome.kind}`)
  return outcome.data.value
}

const different = (values: unknown[]) => new Set(values).size

test('F07 many at once in three processes ask WeChat once and get the same token', async () => {
  await orderWechat(app, { mode: 'slow', delayMs: 200, path })
  const three = await processes(3)
  const tokens = await Promise.all(three.flatMap((deps) => times(20, () => tokenOf(deps))))
  expect(different(tokens)).toBe(1)
  expect(await asked()).toBe(1)
  await Promise.all(three.map(tokenOf))
  expect(await asked()).toBe(1)
})

test('the shared token is sealed and lives as long as WeChat says', async () => {
  const token = await tokenOf(one)
  const stored = (await one.redis.get(tokenKey())) ?? ''
  expect(stored).toMatch(/^sealed:/)
  expect(stored).not.toContain(token)
  expect(Math.abs((await one.redis.pttl(tokenKey())) - 7_200_000)).toBeLessThan(60_000)
  expect(await one.redis.exists(lockKey())).toBe(0)
})

test('it is renewed in its last five minutes, by the clock of the store', async () => {
  await tokenOf(one)
  await one.redis.pexpire(tokenKey(), 301_000)
  await tokenOf(one)
  expect(await asked()).toBe(1)
  await one.redis.pexpire(tokenKey(), 297_000)
  await tokenOf(one)
  expect(await asked()).toBe(2)
  await one.redis.pexpire(tokenKey(), 1)
  await expect.poll(() => one.redis.exists(tokenKey())).toBe(0)
  await tokenOf(one)
  expect(await asked()).toBe(3)
})

test('F07 while one renews, the others go on with the old token and wait for nothing', async () => {
  const three = await processes(3)
  const [first = one, ...others] = three
  const old = await tokenOf(first)
  await Promise.all(others.map(tokenOf))
  await one.redis.pexpire(tokenKey(), 290_000)
  const renewal = holdBack(first, 'eval', storesToken)
  const renewing = tokenOf(first)
  await renewal.arrived
  const tokens = await Promise.all([...others, first].flatMap((deps) => times(10, () => tokenOf(deps))))
  expect(different([...tokens, old])).toBe(1)
  renewal.go()
  await renewing
  expect(await asked()).toBe(2)
})

test('F07 who takes the lock just after the token was renewed does not renew it again', async () => {
  await tokenOf(one)
  await one.redis.pexpire(tokenKey(), 290_000)
  const late = await process()
  const { arrived, go } = holdBack(late, 'set')
  const coming = tokenOf(late)
  await arrived
  await tokenOf(one)
  expect(await asked()).toBe(2)
  go()
  await coming
  expect(await asked()).toBe(2)
  expect(await one.redis.exists(lockKey())).toBe(0)
})

test('a token that comes old already is used and not asked for again at once', async () => {
  await orderWechat(app, { expiresIn: 60 })
  const tokens = await Promise.all(times(10, () => tokenOf(one)))
  await tokenOf(one)
  expect(different(tokens)).toBe(1)
  expect(await asked()).toBe(1)
  await passRest()
  await tokenOf(one)
  expect(await asked()).toBe(2)
})

test('WeChat failing: the old token is used, and one in two seconds asks', async () => {
  const token = await tokenOf(one)
  await one.redis.pexpire(tokenKey(), 200_000)
  await orderWechat(app, { mode: 'fail', path })
  const three = await processes(3)
  const tokens = await Promise.all(three.flatMap((deps) => times(10, () => tokenOf(deps))))
  expect(different([...tokens, token])).toBe(1)
  expect(await asked()).toBe(2)
})

test('F07 WeChat silent and no token: all get an error within bounds, one has asked, and it comes back by itself', async () => {
  await orderWechat(app, { mode: 'hang', path })
  const three = await Promise.all(times(3, () => process(config.redisUrl, 1_000)))
  const outcomes = await Promise.all(three.flatMap((deps) => times(20, () => take(deps))))
  // After six seconds the call would have failed by its own timeout.
  expect(outcomes).toEqual(times(60, () => ({ kind: 'unknown', reason: 'TIMEOUT' })))
  expect(await take(one)).toEqual({ kind: 'unknown', reason: 'TIMEOUT' })
  expect(await asked()).toBe(1)
  await orderWechat(app, { mode: 'ok' })
  await passRest()
  expect(await take(one)).toMatchObject({ kind: 'done' })
})

test('a refusal reaches all processes with its number', async () => {
  await orderWechat(app, { path, errcode: 40164 })
  const three = await processes(3)
  const outcomes = await Promise.all(three.flatMap((deps) => times(5, () => take(deps))))
  for (const outcome of outcomes) expect(outcome).toMatchObject({ kind: 'refused', code: 40164 })
  expect(await asked()).toBe(1)
})

test('whose lock has run out writes nothing', async () => {
  const { arrived, go } = holdBack(one, 'eval', storesToken)
  const late = tokenOf(one)
  await arrived
  await one.redis.set(lockKey(), 'another')
  go()
  await late
  expect(await one.redis.exists(tokenKey())).toBe(0)
  expect(await one.redis.get(lockKey())).toBe('another')
})

test('a text that no key opens is as good as none', async () => {
  await one.redis.set(tokenKey(), seal(config.keys, 'elsewhere', 'x'), 'PX', 7_200_000)
  expect(await tokenOf(one)).not.toBe('x')
})

type Call = (token: string) => Promise<WechatOutcome<string>>

/** Answers as WeChat does to tokens that it has voided. */
function calls(refusing: (token: string) => number | undefined) {
  const used: string[] = []
  const call: Call = async (token) => {
    used.push(token)
    const code = refusing(token)
    return code ? { kind: 'refused', code, message: '' } : { kind: 'done', data: token }
  }
  return { call, used }
}

const voidToken = () => orderWechat(app, { voidToken: true })

test.each([40001, 40014, 42001])(
  '%i: the token is dropped, fetched anew, and the call made once more',
  async (code) => {
    const old = await tokenOf(one)
    await voidToken()
    const { call, used } = calls((token) => (token === old ? code : undefined))
    expect(await withToken(one, site, app, call)).toEqual({ kind: 'done', data: used[1] })
    expect(used).toHaveLength(2)
    expect(await asked()).toBe(2)
  },
)

test('many calls that meet a voided token fetch one new one', async () => {
  const three = await processes(3)
  const old = await tokenOf(one)
  await voidToken()
  const { call } = calls((token) => (token === old ? 40001 : undefined))
  const outcomes = await Promise.all(three.flatMap((deps) => times(10, () => withToken(deps, site, app, call))))
  for (const outcome of outcomes) expect(outcome.kind).toBe('done')
  expect(await asked()).toBe(2)
})

test('a token that is always void is tried twice and no more', async () => {
  const { call, used } = calls(() => 40001)
  expect(await withToken(one, site, app, call)).toMatchObject({ kind: 'refused', code: 40001 })
  expect(used).toHaveLength(2)
})

test('any other refusal is no reason to drop the token', async () => {
  const { call, used } = calls(() => 45009)
  expect(await withToken(one, site, app, call)).toMatchObject({ code: 45009 })
  expect(used).toHaveLength(1)
  expect(await one.redis.exists(tokenKey())).toBe(1)
})

test('a token that has taken the place of the void one stays', async () => {
  const next = seal(config.keys, `${site}/wechat-token/${app.appId}`, 'next')
  const call: Call = async (token) => {
    if (token === 'next') return { kind: 'done', data: token }
    await one.redis.set(tokenKey(), next, 'PX', 7_200_000)
    return { kind: 'refused', code: 40001, message: '' }
  }
  expect(await withToken(one, site, app, call)).toEqual({ kind: 'done', data: 'next' })
  expect(await one.redis.get(tokenKey())).toBe(next)
  expect(await asked()).toBe(1)
})

test('without Redis each process asks for itself, once, and keeps what it got', async () => {
  const alone = await process(`redis://127.0.0.1:${await freePort()}`)
  const tokens = await Promise.all(times(20, () => tokenOf(alone)))
  expect(different([...tokens, await tokenOf(alone)])).toBe(1)
  expect(await asked()).toBe(1)
  await voidToken()
  const { call } = calls((token) => (token === tokens[0] ? 40001 : undefined))
  expect(await withToken(alone, site, app, call)).toMatchObject({ kind: 'done' })
  expect(await asked()).toBe(2)
})

test('when Redis goes away the token seen last is good for its life', async () => {
  const token = await tokenOf(one)
  one.redis.disconnect()
  expect(await tokenOf(one)).toBe(token)
  expect(await asked()).toBe(1)
})

test('two sites with the same account do not read each other’s token', async () => {
  const token = await tokenOf(one)
  const stored = await one.redis.get(tokenKey())
  const other = newSiteId()
  await one.redis.set(`{wechat:${other}:${app.appId}}:token`, stored ?? '', 'PX', 7_200_000)
  await sharedToken(one, other, app)
  expect(await asked()).toBe(2)
  expect(await tokenOf(one)).toBe(token)
})

test('D105 a token comes from under its seal alone: a note in Redis can say no and nothing else', async () => {
  const forged = [
    { kind: 'done', data: { value: 'forged-token', lifeMs: 7_200_000 } },
    { kind: 'done' },
    { kind: 'refused', code: '40001' },
    { kind: 'unknown' },
    {},
  ]
  for (const note of forged) {
    await one.redis.set(lockKey(), JSON.stringify(note), 'PX', 300)
    expect(await tokenOf(one)).not.toBe('forged-token')
    await one.redis.del(tokenKey(), lockKey())
  }
  await one.redis.set(tokenKey(), 'forged-token', 'PX', 7_200_000)
  expect(await tokenOf(one)).not.toBe('forged-token')
})
