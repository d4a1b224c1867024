import { exchangeTicket } from '@hufu/contract/authorize'
import { loginByMobile, loginByPassword } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { sendTwoFactorMobileCode, verifyTwoFactor } from '@hufu/contract/two-factor'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { codeTo, fresh, messagesTo, type TestSite } from '../../apps/server/test/test-app.ts'
import { bind, createId, shop, ticketIn } from '../harness/authorizing.ts'
import { type Browser, type Harness, number, type User } from '../harness/harness.ts'
import { check, decide, hasSession, showCode } from '../harness/scan.ts'

/** What went on while something was wrong with a store. */
export interface Flowed {
  done: Record<string, number>
  /** Refused because a store was unavailable. */
  busy: number
  signedOut: number
  usedTwice: number
  /** Numbers that got more than the one message that a minute allows. */
  sentTwice: number
  /** Responses that should not occur. */
  strange: string[]
}

export const nothingYet = (): Flowed => ({
  done: {},
  busy: 0,
  signedOut: 0,
  usedTwice: 0,
  sentTwice: 0,
  strange: [],
})

interface Ground {
  t: Harness
  site: TestSite
  flowed: Flowed
}

interface Outcome {
  status: number
  code?: string | undefined
}

/** Whether it was done; what was refused because a store was missing is tried by another user a moment later. */
function isDone({ flowed }: Ground, answer: Outcome, expected: string[] = []): boolean {
  if (answer.status === 200) return true
  if (answer.status === 503) flowed.busy++
  else if (!expected.includes(answer.code ?? '')) flowed.strange.push(`${answer.status} ${answer.code}`)
  return false
}

/** Of several concurrent uses of a one-time value, at most one may have succeeded. */
function atMostOne(ground: Ground, answers: Outcome[], expected: string[]): void {
  const done = answers.filter((answer) => isDone(ground, answer, expected)).length
  if (done > 1) ground.flowed.usedTwice++
}

const twice = <Value>(call: () => Promise<Value>): Promise<Value[]> => Promise.all([call(), call()])

async function look(ground: Ground, user: User): Promise<void> {
  const answer = await user.call(userInfo)
  if (answer.status === 401) ground.flowed.signedOut++
  else isDone(ground, answer)
}

/** Asks for a code twice in a row, which is once too often, and signs in with it twice at once. */
async function signInByCode(ground: Ground): Promise<void> {
  const browser: Browser = ground.t.browser(ground.site)
  const mobile = fresh.mobile()
  if (!isDone(ground, await browser.call(sendMobileCode, number(mobile)))) return
  isDone(ground, await browser.call(sendMobileCode, number(mobile)), ['CODE_SEND_LIMITED'])
  const login = { ...number(mobile), code: await codeTo(mobile) }
  atMostOne(ground, await twice(() => browser.call(loginByMobile, login)), ['CODE_WRONG'])
  if ((await messagesTo(mobile)).length > 1) ground.flowed.sentTwice++
}

async function signInByPassword(ground: Ground, account: string, password: string): Promise<void> {
  isDone(ground, await ground.t.browser(ground.site).call(loginByPassword, { account, password }))
}

async function signInByScan(ground: Ground, user: User): Promise<void> {
  const waiting = await showCode(ground.t, ground.site).catch(() => undefined)
  if (!waiting) return void ground.flowed.busy++
  const gone = ['LOGIN_REQUEST_EXPIRED']
  for (const status of [0, 1] as const) if (!isDone(ground, await decide(user, waiting.request, status), gone)) return
  isDone(ground, await check(waiting), gone)
  // The session obtained this way belongs to the user who approved.
  if (hasSession(waiting.browser)) isDone(ground, await waiting.browser.call(userInfo))
}

async function useTicket(ground: Ground, user: User): Promise<void> {
  const id = await createId(ground.t.browser(ground.site)).catch(() => undefined)
  if (!id) return void ground.flowed.busy++
  const bound = await bind(user, id)
  if (!isDone(ground, bound)) return
  const asked = { client: shop.id, secret: shop.secret, ticket: ticketIn(bound.data) ?? '' }
  const exchange = () => ground.t.browser(ground.site).call(exchangeTicket, asked)
  atMostOne(ground, await twice(exchange), ['AUTHORIZE_TICKET'])
}

async function passCheck(ground: Ground): Promise<void> {
  const { id, mobile } = await ground.t.user(ground.site, { password: undefined })
  const user = await ground.t.session(ground.site, id)
  if (!isDone(ground, await user.call(sendTwoFactorMobileCode))) return
  const code = await codeTo(mobile)
  atMostOne(ground, await twice(() => user.call(verifyTwoFactor, { code })), ['CODE_WRONG'])
}

/** Everything that users do, over and over, until it is stopped. */
export async function keepFlowing(t: Harness, site: TestSite, flowed: Flowed) {
  const ground = { t, site, flowed }
  const made = await t.user(site)
  const user = await t.session(site, made.id)
  const flows: Record<string, () => Promise<void>> = {
    look: () => look(ground, user),
    code: () => signInByCode(ground),
    password: () => signInByPassword(ground, made.username, made.password),
    scan: () => signInByScan(ground, user),
    ticket: () => useTicket(ground, user),
    check: () => passCheck(ground),
  }
  let going = true
  const work = Object.entries(flows).map(async ([name, flow]) => {
    while (going) {
      await flow().catch((error: unknown) => flowed.strange.push(`${name}: ${String(error)}`))
      flowed.done[name] = (flowed.done[name] ?? 0) + 1
    }
  })
  return {
    async stop() {
      going = false
      await Promise.all(work)
    },
  }
}
