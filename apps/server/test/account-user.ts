import { randomUUID } from 'node:crypto'
import { loginByPassword } from '@hufu/contract/login'
import { sendTwoFactorMobileCode, verifyTwoFactor } from '@hufu/contract/two-factor'
import { sendEmailCode, sendMobileCode } from '@hufu/contract/verify-code'
import { createUser } from '../src/features/users/users.service.ts'
import { codeTo, fresh, type TestApp, type TestBrowser, type TestSite } from './test-app.ts'

export const password = 'Qy#2026autumn'

type Name = 'mobile' | 'email' | 'username'
/** Names that the user is not to have. */
export type Without = Partial<Record<Name, undefined>>

export interface Member extends TestBrowser {
  id: string
  mobile: string
  email: string
  username: string
}

/**
 * A user signed in by password, so in a browser that owes no second proof. The returned names include those the user
 * lacks.
 */
export async function member(t: TestApp, site: TestSite, without: Without = {}): Promise<Member> {
  const names = { mobile: fresh.mobile(), email: fresh.email(), username: fresh.username() }
  const id = await createUser(t.deps, site.id, { ...names, password, ...without }, 'test')
  return { ...names, id, ...(await signInAgain(t, site, names)) }
}

/** One more browser of the same user. */
export async function signInAgain(
  t: TestApp,
  site: TestSite,
  { username }: Pick<Member, 'username'>,
): Promise<TestBrowser> {
  const browser = t.browser(site)
  const answer = await browser.call(loginByPassword, { account: username, password })
  if (!answer.data) throw new Error(`signing in failed: ${answer.code}`)
  return browser
}

/** A step-up by the user's own number in this browser. */
export async function stepUp(t: TestApp, site: TestSite, browser: TestBrowser, mobile: string): Promise<void> {
  await t.passMinute(site, `+86${mobile}`)
  await browser.call(sendTwoFactorMobileCode)
  const answer = await browser.call(verifyTwoFactor, { code: await codeTo(mobile) })
  if (answer.status !== 200) throw new Error(`the check failed: ${answer.code}`)
}

/** Sends a code to the user's future number. */
export async function newMobile(browser: TestBrowser, mobile = fresh.mobile()) {
  await browser.call(sendMobileCode, { mobilePrefix: '86', mobile })
  return { mobilePrefix: '86', mobile, code: await codeTo(mobile) }
}

export async function newEmail(browser: TestBrowser, email = `${randomUUID().slice(0, 12)}@example.com`) {
  await browser.call(sendEmailCode, { email, type: 'authorize' })
  return { email, code: await codeTo(email) }
}
