import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { messagesTo } from '../apps/server/test/test-app.ts'
import { few, freshAddress, type Harness, number, openHarness } from './harness.ts'
import { tally, together } from './http.ts'

const numbers = few(5_000, 500)
/** The product's own budget of a dial prefix and day; a smaller one where the run is short. */
const budget = few(2_000, 200)
const alertWithin = 60_000

let t: Harness
beforeAll(async () => {
  t = await openHarness()
})
afterAll(() => t.close())

/** Messages that the gateways have been handed so far. */
async function handedOver(): Promise<number> {
  const gateways = [inject('aliyunUrl'), inject('tencentUrl')]
  const counts = await Promise.all(
    gateways.map(
      async (url) => ((await (await fetch(`${url}/control`)).json()) as { data: { received: number } }).data,
    ),
  )
  return counts.reduce((sum, { received }) => sum + received, 0)
}

async function alertAfter(siteId: string, since: number): Promise<number | undefined> {
  for (let waited = 0; waited < 3_000; waited += 200) {
    const lines = inject('logFiles').flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    const alerts = lines.filter((line) => line.includes('the budget for codes runs out') && line.includes(siteId))
    const first = alerts.map((line) => Date.parse((JSON.parse(line) as { time: string }).time)).sort((a, b) => a - b)[0]
    if (first !== undefined) return first - since
    await sleep(200)
  }
  return undefined
}

test('A09 a script with thousands of numbers of one prefix gets at most the budget, and the alarm rings', async () => {
  const site = await t.codeSite({ limits: budget === 2_000 ? {} : { prefixDay: budget } })
  const before = await handedOver()
  const started = Date.now()
  // Fifteen a household stay below the proof that is asked from twenty on.
  const households = Array.from({ length: Math.ceil(numbers / 15) }, freshAddress)
  const replies = await together(numbers, 40, (index) =>
    t
      .browser(site)
      .call(sendMobileCode, number(`137${String(10_000_000 + index * 17)}`), households[index % households.length]),
  )
  const sent = (await handedOver()) - before
  const alert = await alertAfter(site.id, started)
  const counts = tally(replies.map(({ code, status }) => code ?? status))
  console.log(
    `A09: ${numbers} numbers, ${sent} sent of a budget of ${budget}, alert after ${alert} ms; ${JSON.stringify(counts)}`,
  )
  expect(sent).toBe(budget)
  expect(counts['200']).toBe(budget)
  expect(alert).toBeLessThan(alertWithin)
})

test('A09 numbers of regions that the site does not serve get nothing', async () => {
  const site = await t.codeSite({ regions: ['CN'] })
  const abroad = [
    { mobilePrefix: '44', mobile: '7400123456' },
    { mobilePrefix: '1', mobile: '2015550123' },
    { mobilePrefix: '65', mobile: '81234567' },
    { mobilePrefix: '371', mobile: '21234567' },
  ]
  const sent: string[] = []
  for (const ask of abroad) {
    const { status } = await t.browser(site).call(sendMobileCode, ask)
    const messages = await messagesTo(ask.mobile)
    if (status === 200 || messages.length > 0) sent.push(`+${ask.mobilePrefix}`)
  }
  console.log(`A09: ${abroad.length} numbers of regions not served, sent to ${sent.length}: ${sent.join(' ')}`)
  expect(sent).toEqual([])
})
