import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { solving } from '../../apps/server/test/pow-solution.ts'
import { messagesTo, type TestSite, wideLimits } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { askCode, few, freshAddress, type Harness, number, openHarness } from '../harness/harness.ts'
import { tally, together } from '../harness/http.ts'
import { askCheckCode } from './checks.ts'
import { codeKinds, unknownCodeCalls } from './codes.ts'

const numbers = few(5_000, 200)
/** The product's own budget of a dial prefix and day; a smaller one where the run is short. */
const budget = few(2_000, 80)
/** The share of a budget for unknown visitors, and from which share on they need a proof of work. */
const openPart = 0.7
const freePart = openPart / 2
const alertWithin = 60

let t: Harness
beforeAll(async () => {
  t = await openHarness()
})
afterAll(() => t.close())

/** Messages that the gateways have received so far. */
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
  for (let waited = 0; waited < alertWithin * 1_000; waited += 200) {
    const lines = inject('logFiles').flatMap((file) => readFileSync(file, 'utf8').split('\n'))
    const alerts = lines.filter((line) => line.includes('the budget for codes runs out') && line.includes(siteId))
    const first = alerts.map((line) => Date.parse((JSON.parse(line) as { time: string }).time)).sort((a, b) => a - b)[0]
    if (first !== undefined) return first - since
    await sleep(200)
  }
  return undefined
}

/** One IP address for each ten numbers: below the twenty from which an address needs a proof of work. */
function pump(site: TestSite, count: number, work: boolean) {
  const households = Array.from({ length: Math.ceil(count / 10) }, freshAddress)
  // Few requests at a time, otherwise all would be sent before the first is counted.
  return together(count, work ? 4 : 40, (index) => {
    const browser = t.browser(site)
    const mobile = number(`137${String(10_000_000 + index * 17)}`)
    const ask = (proof?: string) =>
      browser.call(sendMobileCode, { ...mobile, proof }, households[index % households.length])
    return work ? solving(ask) : ask()
  })
}

/** A user who has signed in before still gets a code, both signed out and for a step-up of the session. */
async function stillServed(site: TestSite): Promise<number> {
  const user = await t.user(site)
  const browser = await t.session(site, user.id)
  const checked = await askCheckCode(t, site, browser, user.mobile).catch(() => undefined)
  browser.cookies.delete('__Host-hufu')
  await t.passMinute(site, `+86${user.mobile}`)
  const asked = await askCode(browser, user.mobile).catch(() => undefined)
  return [checked, asked].filter((code) => code !== undefined).length
}

test('A09 a script with thousands of numbers of one prefix gets at most the budget, and the alert fires', async () => {
  const site = await t.codeSite({ limits: budget === 2_000 ? {} : { prefixDay: budget } })
  const before = await handedOver()
  const replies = await pump(site, numbers, false)
  const sent = (await handedOver()) - before
  const counts = tally(replies.map(({ code, status }) => code ?? status))
  console.log(`A09: ${numbers} numbers: ${JSON.stringify(counts)}`)
  // What a busy machine couldn't send stays counted.
  expect(sent).toBeGreaterThan(budget * freePart * 0.9)
  // Forty requests are in progress when the first of them needs a proof of work.
  figure(`texts sent for ${numbers} numbers of one prefix without work`, sent, ['<=', budget * freePart + 40])
  figure('codes that a known user gets afterwards', await stillServed(site), ['=', 2])
})

test('A09 a script that solves the proof of work gets what strangers get, the alert fires, and known users are served', async () => {
  const small = few(200, 20)
  const site = await t.codeSite({ limits: { ...wideLimits, prefixDay: small } })
  const before = await handedOver()
  const started = Date.now()
  const replies = await pump(site, small, true)
  const sent = (await handedOver()) - before
  const alert = await alertAfter(site.id, started)
  console.log(`A09: with work: ${JSON.stringify(tally(replies.map(({ code, status }) => code ?? status)))}`)
  expect(sent).toBeGreaterThan(small * openPart * 0.9)
  figure(`texts sent for ${small} numbers of one prefix with work`, sent, ['<=', small * openPart])
  figure('the alarm after', (alert ?? Number.POSITIVE_INFINITY) / 1_000, ['<=', alertWithin], 's')
  figure('codes that a known user gets with the open share used up', await stillServed(site), ['=', 2])
}, 600_000)

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
  console.log(`A09: ${abroad.length} numbers of regions not served, sent to: ${sent.join(' ')}`)
  figure('texts to regions that are not served', sent.length, ['=', 0])
})

/** Codes that went to numbers and to addresses, by what the gateways and the mail server received. */
async function sentSoFar(site: TestSite): Promise<{ texts: number; mails: number }> {
  const query =
    "SELECT count(*)::int AS mails FROM code_send WHERE site_id = $1 AND receiver LIKE '%@%' AND outcome = 'sent'"
  const { rows } = await t.deps.pool.query(query, [site.id])
  return { texts: await handedOver(), mails: rows[0].mails }
}

test('A09 every call that sends a code spends the same budget, and past it none sends', async () => {
  // Of these the first seven need no proof of work; the reserved rest is for step-ups of sessions.
  const most = 20
  const site = await t.codeSite({ limits: { ...wideLimits, prefixDay: most } })
  const before = await sentSoFar(site)
  const sentBy: Record<string, number> = {}
  // What is asked for past the budget ends in a refusal, at whichever step.
  for (let round = 0; round < most; round++) {
    for (const kind of codeKinds) {
      const arrived = await kind.ask(t, site).catch(() => undefined)
      sentBy[kind.name] = (sentBy[kind.name] ?? 0) + Number(arrived !== undefined)
    }
  }
  const after = await sentSoFar(site)
  console.log(`A09: codes that arrived: ${JSON.stringify(sentBy)}`)
  expect(Object.entries(sentBy).filter(([, arrived]) => arrived === 0)).toEqual([])
  expect(unknownCodeCalls()).toEqual([])
  figure('texts by all calls that send', after.texts - before.texts, ['=', most])
  figure('mails by all calls that send', after.mails - before.mails, ['=', most])
})
