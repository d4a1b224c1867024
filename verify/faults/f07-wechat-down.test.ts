import { setTimeout as sleep } from 'node:timers/promises'
import { loadMessageTemplates, loadWechatMenu } from '@hufu/contract/merchant-wechat'
import { userInfo } from '@hufu/contract/profile'
import { meta } from '@hufu/contract/site'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { makeOperator } from '../../apps/server/test/enrolled.ts'
import { type TestSite, times } from '../../apps/server/test/test-app.ts'
import { newWechat, orderWechat, type WechatAccount, wechatState } from '../../apps/server/test/wechat-phone.ts'
import { quietRounds } from '../../tools/run/processors.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Api, shedding, startApi } from '../harness/environment.ts'
import { codeConfig, few, freshAddress, type Harness, openHarness, type User } from '../harness/harness.ts'
import { tally } from '../harness/http.ts'
import { median } from '../harness/timing.ts'

const asking = '/cgi-bin/stable_token'
/** Renewed when less than 300 seconds remain: a token of 303 lives about five seconds. */
const shortLife = 303
const mostMedian = 1.3
/** A call gives WeChat five seconds, and waits six for a token that another process fetches. */
const mostSeconds = 7

let t: Harness
let apis: Api[]
beforeAll(async () => {
  const environment = { ...inject('environment'), ...shedding }
  apis = await Promise.all(times(4, () => startApi(environment, inject('logFolder'))))
  t = await openHarness(
    environment,
    apis.map(({ url }) => url),
  )
})
afterAll(async () => {
  await t?.close()
  await Promise.all((apis ?? []).map((api) => api.stop()))
})

interface Ground {
  wechat: WechatAccount
  site: TestSite
  operator: User
}

async function open(): Promise<Ground> {
  const wechat = await newWechat()
  const [site] = await t.sites(1, () => codeConfig({ wechat }))
  if (!site) throw new Error('no site')
  const { id } = await t.user(site, { password: undefined })
  await makeOperator(t.deps, site.id, id, ['READ'], 'fault')
  return { wechat, site, operator: await t.session(site, id) }
}

/** A machine that has no time sheds calls of any kind; that is another fault's affair. */
const unexpected = (codes: (string | number)[], expected: (string | number)[]) =>
  codes.filter((code) => code !== 'SERVICE_BUSY' && !expected.includes(code))

/** A call that needs WeChat, from another address each time: the limit isn't what is looked at here. */
const needing = ({ operator }: Ground, index = 0) =>
  operator.call(index % 2 ? loadMessageTemplates : loadWechatMenu, {}, freshAddress())

test('F07 four processes request one token per lifetime, also when it is renewed', async () => {
  const ground = await open()
  await orderWechat(ground.wechat, { expiresIn: shortLife })
  const until = performance.now() + few(30_000, 10_000)
  const codes: (string | number)[] = []
  const callers = times(16, async (index) => {
    while (performance.now() < until) {
      const { code, status } = await needing(ground, index)
      codes.push(code ?? status)
      await sleep(20)
    }
  })
  await Promise.all(callers)
  const { counts, issued } = await wechatState(ground.wechat)
  console.log(
    `F07: ${codes.length} calls ${JSON.stringify(tally(codes))} through 4 processes, ${issued} tokens, asked ${counts[asking]} times`,
  )
  expect(unexpected(codes, [200])).toEqual([])
  expect(issued).toBeGreaterThanOrEqual(few(5, 2))
  figure('refreshes a token life', (counts[asking] ?? 0) / issued, ['=', 1])
})

test('F07 WeChat silent at the first token: one process asks, all calls are answered in time', async () => {
  const ground = await open()
  await orderWechat(ground.wechat, { mode: 'hang' })
  const answers = await Promise.all(times(80, (index) => needing(ground, index)))
  const slowest = Math.max(...answers.map(({ ms }) => ms))
  const { counts } = await wechatState(ground.wechat)
  console.log(`F07: 80 calls without a token, slowest ${slowest.toFixed(0)} ms, WeChat asked ${counts[asking]} times`)
  expect(
    unexpected(
      answers.map(({ code, status }) => code ?? status),
      ['WECHAT_FAILED'],
    ),
  ).toEqual([])
  figure('processes that asked a silent WeChat', counts[asking] ?? 0, ['=', 1])
  figure('longest wait for a silent WeChat', slowest / 1_000, ['<=', mostSeconds], 's')
  await orderWechat(ground.wechat, { mode: 'ok' })
  expect(await recovered(ground)).toBe(true)
})

/** Whether every process answers again, without intervention. */
async function recovered(ground: Ground): Promise<boolean> {
  const until = performance.now() + 15_000
  let row = 0
  while (performance.now() < until && row < apis.length * 2) {
    row = (await needing(ground)).status === 200 ? row + 1 : 0
    await sleep(100)
  }
  return row >= apis.length * 2
}

const faults = [{ mode: 'hang' }, { mode: 'reset' }, { mode: 'slow', delayMs: 3_000 }, { mode: 'fail' }]
const phaseMs = 2_000
/** Of each fault, with and without it in turns: what a neighbour on a shared machine disturbs is one of them. */
const rounds = 3

interface Phase {
  others: number[]
  needing: { code: string | number; ms: number }[]
}

/** Operators call at a steady pace while others do what has nothing to do with WeChat. */
async function phase(ground: Ground, users: User[]): Promise<Phase> {
  const result: Phase = { others: [], needing: [] }
  const until = performance.now() + phaseMs
  const others = users.map(async (user) => {
    while (performance.now() < until) {
      for (const call of [userInfo, meta]) result.others.push((await user.call(call)).ms)
      await sleep(4)
    }
  })
  const calls: Promise<unknown>[] = []
  for (let index = 0; performance.now() < until; index++) {
    calls.push(needing(ground, index).then(({ code, status, ms }) => result.needing.push({ code: code ?? status, ms })))
    await sleep(40)
  }
  await Promise.all([...others, ...calls])
  return result
}

/** How much longer other calls take while WeChat fails in this way. */
async function round(ground: Ground, users: User[], fault: (typeof faults)[number]): Promise<number> {
  const healthy = median((await phase(ground, users)).others)
  await orderWechat(ground.wechat, fault)
  const { others, needing: responses } = await phase(ground, users)
  const slowest = Math.max(...responses.map(({ ms }) => ms))
  const codes = responses.map(({ code }) => code)
  console.log(
    `F07: ${fault.mode}: ${JSON.stringify(tally(codes))}, slowest ${slowest.toFixed(0)} ms, other calls' median ${healthy.toFixed(2)} → ${median(others).toFixed(2)} ms`,
  )
  expect(slowest).toBeLessThan(mostSeconds * 1_000)
  expect(unexpected(codes, [200, 'WECHAT_FAILED'])).toEqual([])
  await orderWechat(ground.wechat, { mode: 'ok' })
  expect(await recovered(ground)).toBe(true)
  return median(others) / healthy
}

test('F07 WeChat down: no other call is slowed down, and it comes back by itself', { timeout: 600_000 }, async () => {
  const ground = await open()
  const users = await Promise.all(
    times(4, async () => t.session(ground.site, (await t.user(ground.site, { password: undefined })).id)),
  )
  await phase(ground, users)
  for (const fault of faults.slice(0, few(4, 1))) {
    const ratios = await quietRounds(rounds, () => round(ground, users, fault))
    figure(`other calls' median, times as without it: ${fault.mode}`, median(ratios), ['<=', mostMedian])
  }
})
