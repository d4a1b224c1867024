import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { loginByMobile, loginByPassword, logout } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { fresh, messagesTo, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { leeway, strictLimits } from '../../tools/checks/time-limit.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { type RedisStore, startRedis } from '../../tools/stores/redis.ts'
import { figure } from '../harness/assert-figure.ts'
import { shedding } from '../harness/environment.ts'
import { askCode, type Browser, few, number } from '../harness/harness.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'
import { percentile } from '../harness/timing.ts'

/** A dedicated Redis, database and two processes: what dies here disturbs no other test. */
let folder: string
let redis: RedisStore
let product: OwnProduct
let t: OwnProduct['t']
let site: TestSite
beforeAll(async () => {
  folder = makeTemporaryFolder('f03')
  redis = await startRedis(folder)
  product = await startOwnProduct({ ...shedding, HUFU_REDIS_URL: redis.url })
  ;({ t } = product)
  site = await t.codeSite()
})
afterAll(async () => {
  await product.stop()
  await redis.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Signed-in users who go on calling until they are stopped. */
function goOn(users: Browser[]) {
  let stopped = false
  const ms: number[] = []
  const failed: string[] = []
  let shed = 0
  const work = Promise.all(
    users.map(async (user) => {
      while (!stopped) {
        const reply = await user.call(userInfo)
        ms.push(reply.ms)
        // A machine that is busy with something else may shed a call; that is no sign-out.
        if (reply.status === 503) shed++
        else if (reply.status !== 200) failed.push(`${reply.status} ${reply.code}`)
        await sleep(5)
      }
    }),
  )
  return {
    async stop() {
      stopped = true
      await work
      return { calls: ms.length, shed, failed, p99: percentile(ms, 0.99), most: Math.max(...ms) }
    },
  }
}

async function textedSoFar(): Promise<number> {
  const counts = await Promise.all(
    [inject('aliyunUrl'), inject('tencentUrl')].map(
      async (url) => ((await (await fetch(`${url}/control`)).json()) as { data: { received: number } }).data.received,
    ),
  )
  return counts.reduce((a, b) => a + b)
}

/** What was done before the loss and must still hold after it. */
async function prepare() {
  const users = await Promise.all(times(4, () => t.signIn(site)))
  const left = await t.signIn(site)
  const kept = new Map(left.cookies)
  await left.call(logout)
  for (const [name, value] of kept) left.cookies.set(name, value)
  const spender = t.browser(site)
  const spent = { ...number(fresh.mobile()), code: '' }
  spent.code = await askCode(spender, spent.mobile)
  expect((await spender.call(loginByMobile, spent)).status).toBe(200)
  const waiting = t.browser(site)
  const unspent = { ...number(fresh.mobile()), code: '' }
  unspent.code = await askCode(waiting, unspent.mobile)
  return { users, left, spender, spent, waiting, unspent }
}

/** Until every process sends codes again. */
async function allSend(): Promise<void> {
  const urls = product.apis.map(({ url }) => [url])
  const statuses = () =>
    Promise.all(
      urls.map(async (urls) => (await t.browser(site, { urls }).call(sendMobileCode, number(fresh.mobile()))).status),
    )
  await expect.poll(statuses, { timeout: 30_000, interval: 50 }).toEqual(urls.map(() => 200))
}

type Before = Awaited<ReturnType<typeof prepare>>

async function stillHolds({ left, spender, spent, waiting, unspent }: Before) {
  expect((await left.call(userInfo)).code, 'who signed out stays out').toBe('SESSION_REMOVED')
  expect((await spender.call(loginByMobile, spent)).code, 'a spent code stays spent').toBe('CODE_WRONG')
  const again = await t.browser(site).call(sendMobileCode, number(unspent.mobile))
  expect(again.code, 'the wait of a receiver goes on').toBe('CODE_SEND_LIMITED')
  const replies = await Promise.all(times(20, () => waiting.call(loginByMobile, unspent)))
  expect(
    replies.filter(({ status }) => status === 200),
    'an unspent code works once',
  ).toHaveLength(1)
  const { mobile, id } = await t.signIn(site)
  expect((await messagesTo(mobile)).length, id).toBe(1)
}

test('F03 with Redis stopped, users go on working, nothing is sent uncounted, and all is well when it returns', async () => {
  const before = await prepare()
  const user = await t.user(site)
  const load = goOn(before.users)
  await sleep(500)
  const texted = await textedSoFar()
  await redis.kill()
  const refused: Record<string, number> = {}
  const until = performance.now() + few(4_000, 2_000)
  while (performance.now() < until) {
    const replies = await Promise.all([
      t.browser(site).call(sendMobileCode, number(fresh.mobile())),
      t.browser(site).call(loginByPassword, { account: user.email, password: user.password }),
      before.spender.call(loginByMobile, before.spent),
    ])
    for (const { status, code } of replies) refused[`${status} ${code}`] = (refused[`${status} ${code}`] ?? 0) + 1
    expect(replies.every(({ status }) => status === 503)).toBe(true)
    await sleep(50)
  }
  figure('texts sent while Redis was stopped', (await textedSoFar()) - texted, ['=', 0])
  await redis.start()
  const started = performance.now()
  await allSend()
  const back = Math.round(performance.now() - started)
  await stillHolds(before)
  const { calls, shed, failed, p99, most } = await load.stop()
  console.log(
    `F03: Redis stopped: ${calls} calls of signed-in users, ${failed.length} failed, ${shed} shed, p99 ${p99.toFixed(0)} ms, slowest ${most.toFixed(0)} ms; ${JSON.stringify(refused)}; sending again after ${back} ms`,
  )
  figure('calls of signed-in users failed, Redis stopped', failed.length, ['=', 0])
  expect(failed).toEqual([])
  if (strictLimits) expect(shed).toBeLessThanOrEqual(calls / 100)
})

test('F03 with Redis emptied, no user is signed out, no code works twice and waits go on', async () => {
  const before = await prepare()
  const load = goOn(before.users)
  for (let round = 0; round < 5; round++) {
    execFileSync('redis-cli', ['-u', redis.url, 'flushall'], { stdio: 'ignore' })
    await sleep(200)
  }
  await stillHolds(before)
  const { calls, shed, failed } = await load.stop()
  console.log(`F03: Redis emptied 5 times: ${calls} calls of signed-in users, ${failed.length} failed, ${shed} shed`)
  figure('calls of signed-in users failed, Redis emptied', failed.length, ['=', 0])
  expect(failed).toEqual([])
  if (strictLimits) expect(shed).toBeLessThanOrEqual(calls / 100)
})

test('F03 with Redis hanging, users go on working, can sign out, and nothing waits for longer than a few seconds', async () => {
  const before = await prepare()
  const leaving = await t.signIn(site)
  const load = goOn(before.users)
  const texted = await textedSoFar()
  const pause = few(8_000, 6_000)
  execFileSync('redis-cli', ['-u', redis.url, 'client', 'pause', String(pause), 'all'], { stdio: 'ignore' })
  const paused = performance.now()
  const [left, asked] = await Promise.all([
    leaving.call(logout),
    t.browser(site).call(sendMobileCode, number(fresh.mobile())),
  ])
  const counted = await textedSoFar()
  const { calls, shed, failed, p99 } = await load.stop()
  console.log(
    `F03: Redis hanging: ${calls} calls of signed-in users, ${failed.length} failed, ${shed} shed, p99 ${p99.toFixed(0)} ms; signing out took ${left.ms.toFixed(0)} ms (${left.status}), asking for a code ${asked.ms.toFixed(0)} ms (${asked.status})`,
  )
  await sleep(Math.max(0, paused + pause - performance.now()))
  await allSend()
  figure('calls of signed-in users failed, Redis hanging', failed.length, ['=', 0])
  figure('texts sent while Redis hung', counted - texted, ['=', 0])
  figure('longest wait while Redis hung', Math.max(asked.ms, left.ms) / 1_000, ['<=', 4 * leeway], 's')
  expect(failed).toEqual([])
  expect(asked.status).toBe(503)
  expect(left.status).toBe(200)
  await stillHolds(before)
})
