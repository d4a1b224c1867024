import { setTimeout as sleep } from 'node:timers/promises'
import { entry } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { meta } from '@hufu/contract/site'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { fresh, messagesTo, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { leeway, strictLimits } from '../../tools/checks/time-limit.ts'
import { figure } from '../harness/assert-figure.ts'
import { startApi } from '../harness/environment.ts'
import { few, type Harness, number, openHarness, type User } from '../harness/harness.ts'
import { tally } from '../harness/http.ts'
import { median, percentile } from '../harness/timing.ts'

const rounds = few(7, 3)
const phaseMs = few(2_500, 1_500)

const faults = [
  { mode: 'slow', delayMs: 2_000 },
  { mode: 'fail', deliver: true },
  { mode: 'hang', deliver: true },
  { mode: 'reset', deliver: true },
  { mode: 'refuse' },
  { mode: 'fail' },
  { mode: 'reset' },
]

let t: Harness
let site: TestSite
let ids: User['id'][]
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  ids = await Promise.all(times(4, async () => (await t.user(site, { password: undefined })).id))
})
afterAll(() => t.close())

/** The first gateway of the two that the site has. */
const control = (fault: object) =>
  fetch(`${inject('aliyunUrl')}/control`, { method: 'POST', body: JSON.stringify(fault) })
afterEach(async () => void (await control({ mode: 'ok' })))

interface Phase {
  ms: number[]
  numbers: string[]
  codes: (string | number)[]
}

/** Sends at a steady pace while others call. */
async function phase(urls: string[], users: User[], forMs = phaseMs): Promise<Phase> {
  const result: Phase = { ms: [], numbers: [], codes: [] }
  const until = performance.now() + forMs
  const others = users.map(async (user) => {
    while (performance.now() < until) {
      for (const call of [userInfo, meta, entry]) result.ms.push((await user.call(call)).ms)
      await sleep(4)
    }
  })
  const sends: Promise<unknown>[] = []
  while (performance.now() < until) {
    const mobile = fresh.mobile()
    result.numbers.push(mobile)
    const { call } = t.browser(site, { urls })
    sends.push(call(sendMobileCode, number(mobile)).then(({ status, code }) => result.codes.push(code ?? status)))
    await sleep(60)
  }
  await Promise.all([...others, ...sends])
  return result
}

interface Round {
  delivered: number
  twice: number
  /** What other calls take with the bad gateway, as a multiple of what they take with a good one. */
  median: number
  p99: number
}

/** In a process of its own, whose breaker has seen nothing yet. */
async function compareWith(fault: (typeof faults)[number]): Promise<Round> {
  const api = await startApi(inject('environment'), inject('logFolder'))
  const urls = [api.url]
  try {
    const users = await Promise.all(ids.map((id) => t.session(site, id, { urls })))
    await phase(urls, users, 1_000)
    const healthy = (await phase(urls, users)).ms
    await control(fault)
    const { ms, numbers, codes } = await phase(urls, users)
    await control({ mode: 'ok' })
    const inboxes = await Promise.all(numbers.map((mobile) => messagesTo(mobile)))
    const arrived = (moreThan: number) => inboxes.filter(({ length }) => length > moreThan).length
    const p99 = (values: number[]) => percentile(values, 0.99)
    console.log(
      `F06: ${JSON.stringify(fault)}: ${numbers.length} asked ${JSON.stringify(tally(codes))}, ${arrived(0)} delivered; other calls' median ${median(healthy).toFixed(2)} → ${median(ms).toFixed(2)} ms, p99 ${p99(healthy).toFixed(1)} → ${p99(ms).toFixed(1)} ms`,
    )
    return {
      delivered: arrived(0),
      twice: arrived(1),
      median: median(ms) / median(healthy),
      p99: p99(ms) / p99(healthy),
    }
  } finally {
    await api.stop()
  }
}

test('F06 a bad SMS gateway slows no other call down, and no message is sent twice', async () => {
  const results: Round[] = []
  for (const fault of faults.slice(0, rounds)) results.push(await compareWith(fault))
  const middle = (what: 'median' | 'p99') => median(results.map((round) => round[what]))
  figure(
    'messages sent twice',
    results.reduce((sum, { twice }) => sum + twice, 0),
    ['=', 0],
  )
  figure("other calls' median, times as with a good gateway", middle('median'), ['<=', 1.3 * leeway])
  // Of a few hundred calls beside other work it would be a single pause of the machine.
  if (strictLimits) figure("other calls' p99, times as with a good gateway", middle('p99'), ['<=', 2])
  expect(results.every(({ delivered }) => delivered > 0)).toBe(true)
})
