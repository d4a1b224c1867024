import { sendRecoveryEmailCode } from '@hufu/contract/recovery'
import { sendTwoFactorEmailCode, sendTwoFactorMobileCode } from '@hufu/contract/two-factor'
import { sendEmailCode, sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { solving } from '../../apps/server/test/pow-solution.ts'
import { openTicket } from '../../apps/server/test/recovering.ts'
import { codeTo, fresh, type TestSite, times, wideLimits } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import {
  type CallResponse,
  few,
  freshAddress,
  type Harness,
  number,
  openHarness,
  type User,
} from '../harness/harness.ts'
import { tally, together } from '../harness/http.ts'

const users = few(100, 12)
/** What is kept for the own sessions and browsers, 15 %, is two codes for each of them. */
const budget = users * 14
const open = Math.floor((budget * 70) / 100)
const openToAccounts = Math.floor((budget * 85) / 100)
const hardest = 5

let t: Harness
beforeAll(async () => {
  t = await openHarness()
})
afterAll(() => t.close())

type Ask = (proof?: string) => Promise<CallResponse<unknown>>

interface Attack {
  limits: object
  /** Where the sends are counted. */
  key: (site: TestSite) => string
  /** An unknown visitor, or an account of the attacker, requests a code for a new receiver. */
  attacker: (site: TestSite) => Promise<() => Ask>
  /** How much of the budget the attacker can spend. */
  most: number
}

const stranger = async (site: TestSite) => () => {
  const [browser, mobile] = [t.browser(site), fresh.mobile()]
  return (proof?: string) => browser.call(sendMobileCode, { ...number(mobile), proof })
}

const account = async (site: TestSite): Promise<User> =>
  t.session(site, (await t.user(site, { password: undefined })).id)

const numberOfAccount = async (site: TestSite) => {
  const session = await account(site)
  return () => {
    const [mobile, address] = [fresh.mobile(), freshAddress()]
    return (proof?: string) => session.call(sendMobileCode, { ...number(mobile), proof }, address)
  }
}

const addressOfAccount = async (site: TestSite) => {
  const session = await account(site)
  return () => {
    const [email, address] = [fresh.email(), freshAddress()]
    return (proof?: string) => session.call(sendEmailCode, { email, type: 'authorize', proof }, address)
  }
}

const prefixKey = (site: TestSite) => `{code:${site.id}:p:86}`
const siteKey = (site: TestSite) => `{code:${site.id}:s}`
const mailKey = (site: TestSite) => `{code:${site.id}:p:mail}`

const attacks: Record<string, Attack> = {
  'prefix, strangers': { limits: { prefixDay: budget }, key: prefixKey, attacker: stranger, most: open },
  'prefix, accounts': {
    limits: { prefixDay: budget },
    key: prefixKey,
    attacker: numberOfAccount,
    most: openToAccounts,
  },
  'site, strangers': { limits: { siteDay: budget }, key: siteKey, attacker: stranger, most: open },
  'mail, accounts': { limits: { prefixDay: budget }, key: mailKey, attacker: addressOfAccount, most: openToAccounts },
}

const levelOf = ({ details }: CallResponse<unknown>): number => details?.challenge?.parameters.data.level ?? 0

/** As if so many had been sent today. Both stores count: Redis refuses first, PostgreSQL has the last word. */
async function bookSent(site: TestSite, key: string, count: number): Promise<void> {
  await t.deps.cache.set(key, count, 'EX', 86_400)
  await t.deps.pool.query('UPDATE send_budget SET sent = $3 WHERE site_id = $1 AND budget = $2', [site.id, key, count])
}

/** Concurrent requests. */
const atOnce = 8

/** Sends without proof of work until it is required, then one for each level of it; the rest is counted as if it were sent. */
async function spend(site: TestSite, { key, attacker, most }: Attack) {
  const next = await attacker(site)
  const replies = await together(Math.ceil(open / 2) + 20, atOnce, () => next()())
  const free = replies.filter(({ status }) => status === 200).length
  expect(replies.filter(({ code }) => code === 'PROOF_REQUIRED')).toHaveLength(replies.length - free)
  const book = (count: number) => bookSent(site, key(site), count)
  const levels: number[] = []
  for (let tenth = 5; tenth < 10; tenth++) {
    await book(Math.ceil((open * tenth) / 10))
    const ask = next()
    levels.push(levelOf(await ask()))
    if (tenth < few(10, 7)) expect((await solving(ask)).status).toBe(200)
  }
  await book(most)
  const past = await together(20, 4, () => solving(next()))
  return { free, levels, past: tally(past.map(({ code, status }) => code ?? status)) }
}

/** Codes of a known user: one in the browser after signing out, or for a recovery, and one for the check of a session. */
async function ownCodes(site: TestSite, mail: boolean): Promise<number> {
  const user = await t.user(site, mail ? {} : { password: undefined })
  const browser = await t.session(site, user.id)
  const receiver = mail ? user.email : `+86${user.mobile}`
  const got: boolean[] = []
  const arrived = async ({ status }: CallResponse<unknown>) => {
    got.push(status === 200 && /^\d{6}$/.test(await codeTo(mail ? user.email : user.mobile)))
    await t.passMinute(site, receiver)
  }
  await arrived(await browser.call(mail ? sendTwoFactorEmailCode : sendTwoFactorMobileCode))
  browser.cookies.delete('__Host-hufu')
  if (!mail) await arrived(await browser.call(sendMobileCode, number(user.mobile)))
  else await arrived(await browser.call(sendRecoveryEmailCode, { ticket: await openTicket(browser, user.username) }))
  return got.filter(Boolean).length
}

test.each(Object.entries(attacks))(
  'A47 D110 D112 a spent budget leaves codes to known users and costs strangers rising proof of work: %s',
  async (name, attack) => {
    const site = await t.codeSite({ limits: { ...wideLimits, ...attack.limits } })
    const { free, levels, past } = await spend(site, attack)
    console.log(`A47: ${name}: ${free} without work, then work of ${levels}, then ${JSON.stringify(past)}`)
    const codes = await together(users, 4, () => ownCodes(site, attack.key === mailKey))
    figure(`${name}: sent without work of ${budget}`, free, ['<=', Math.ceil(open / 2) + atOnce])
    expect(levels).toEqual(times(hardest, (step) => step + 1))
    figure(`${name}: sent past what is open to them, of 20 tries`, past['200'] ?? 0, ['=', 0])
    expect(past).toEqual({ CODE_SEND_LIMITED: 20 })
    figure(
      `${name}: codes of ${users} known users`,
      codes.reduce((sum, each) => sum + each, 0),
      ['=', 2 * users],
    )
  },
  600_000,
)

test('A47 D115 known and unknown numbers are answered alike, however much is spent', async () => {
  const site = await t.codeSite({ limits: { ...wideLimits, prefixDay: 100 } })
  const known = await together(few(50, 10), 4, async () => (await t.user(site, { password: undefined })).mobile)
  const numbers = known.flatMap((mobile) => [mobile, fresh.mobile()])
  const answers: string[] = []
  let distinguished = 0
  for (const used of [34, 35, 49, 69, 70, 100]) {
    // One at a time: each is booked, and the next must find the same state.
    const replies = await together(numbers.length, 1, async (index) => {
      await bookSent(site, prefixKey(site), used)
      await t.passMinute(site, `+86${numbers[index]}`)
      return await t.browser(site).call(sendMobileCode, number(numbers[index] ?? ''))
    })
    const looks = [0, 1].map((kind) =>
      Object.keys(
        tally(replies.flatMap((each, at) => (at % 2 === kind ? [`${each.code ?? each.status} ${levelOf(each)}`] : []))),
      ),
    )
    if (String(looks[0]) !== String(looks[1])) distinguished++
    answers.push(`${used}: ${looks[0]}`)
  }
  console.log(`A47: answers to known and unknown alike: ${answers.join(', ')}`)
  expect(answers).toEqual([
    '34: 200 0',
    '35: PROOF_REQUIRED 1',
    '49: PROOF_REQUIRED 3',
    '69: PROOF_REQUIRED 5',
    '70: CODE_SEND_LIMITED 0',
    '100: CODE_SEND_LIMITED 0',
  ])
  figure('of six states of a budget those in which known and unknown can be distinguished', distinguished, ['=', 0])
})
