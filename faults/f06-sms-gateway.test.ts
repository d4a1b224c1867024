import { setTimeout as sleep } from 'node:timers/promises'
import { entry } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { meta } from '@hufu/contract/site'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, afterEach, beforeAll, expect, inject, test } from 'vitest'
import { fresh, messagesTo, type TestSite, times } from '../apps/server/test/test-app.ts'
import { few, type Harness, number, openHarness, type Person } from '../attacks/harness.ts'
import { tally } from '../attacks/http.ts'
import { median, percentile } from '../attacks/timing.ts'

const rounds = few(7, 3)
const phaseMs = few(2_500, 1_500)
const most = { median: 1.3, p99: 2 }
/** The breaker rests ten seconds; then the gateway has to prove itself again. */
const rest = 10_500

const faults = [
  { mode: 'slow', delayMs: 2_000 },
  { mode: 'fail', deliver: true },
  { mode: 'reset', deliver: true },
  { mode: 'hang', deliver: true },
  { mode: 'refuse' },
  { mode: 'fail' },
  { mode: 'reset' },
]

let t: Harness
let site: TestSite
let people: Person[]
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  people = await Promise.all(times(4, () => t.signIn(site)))
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
async function phase(): Promise<Phase> {
  const result: Phase = { ms: [], numbers: [], codes: [] }
  const until = performance.now() + phaseMs
  const others = people.map(async (person) => {
    while (performance.now() < until) {
      for (const call of [userInfo, meta, entry]) result.ms.push((await person.call(call)).ms)
      await sleep(4)
    }
  })
  const sends: Promise<unknown>[] = []
  while (performance.now() < until) {
    const mobile = fresh.mobile()
    result.numbers.push(mobile)
    sends.push(
      t
        .browser(site)
        .call(sendMobileCode, number(mobile))
        .then(({ status, code }) => result.codes.push(code ?? status)),
    )
    await sleep(60)
  }
  await Promise.all([...others, ...sends])
  return result
}

test('F06 a bad SMS gateway slows nobody else down, and no message is sent twice', { timeout: 240_000 }, async () => {
  const healthy: number[] = []
  const faulty: number[] = []
  const twice: string[] = []
  let delivered = 0
  let sent = 0
  await phase()
  for (let round = 0; round < rounds; round++) {
    await control({ mode: 'ok' })
    healthy.push(...(await phase()).ms)
    const fault = faults[round % faults.length] ?? { mode: 'fail' }
    await control(fault)
    const { ms, numbers, codes } = await phase()
    faulty.push(...ms)
    sent += numbers.length
    const inboxes = await Promise.all(numbers.map((mobile) => messagesTo(mobile)))
    delivered += inboxes.filter((messages) => messages.length > 0).length
    twice.push(
      ...numbers.filter((_, index) => (inboxes[index]?.length ?? 0) > 1).map((mobile) => `${fault.mode} ${mobile}`),
    )
    console.log(
      `F06: round ${round + 1} ${JSON.stringify(fault)}: ${numbers.length} asked ${JSON.stringify(tally(codes))}, ${inboxes.flat().length} delivered`,
    )
    await control({ mode: 'ok' })
    await sleep(rest)
    // The one call that may try the gateway again closes the breaker, in both processes.
    for (let tried = 0; tried < 4; tried++) await t.browser(site).call(sendMobileCode, number(fresh.mobile()))
  }
  const ratio = { median: median(faulty) / median(healthy), p99: percentile(faulty, 0.99) / percentile(healthy, 0.99) }
  console.log(
    `F06: ${rounds} rounds, ${sent} asked, ${delivered} delivered, ${twice.length} twice; other calls' median ${median(healthy).toFixed(2)} → ${median(faulty).toFixed(2)} ms (${ratio.median.toFixed(2)} ×), p99 ${percentile(healthy, 0.99).toFixed(1)} → ${percentile(faulty, 0.99).toFixed(1)} ms (${ratio.p99.toFixed(2)} ×)`,
  )
  expect(twice).toEqual([])
  expect(ratio.median).toBeLessThanOrEqual(most.median)
  expect(ratio.p99).toBeLessThanOrEqual(most.p99)
})
