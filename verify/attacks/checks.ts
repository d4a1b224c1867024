import { sendTwoFactorMobileCode, verifyTwoFactor } from '@hufu/contract/two-factor'
import { codeTo, type TestSite } from '../../apps/server/test/test-app.ts'
import type { Browser, Harness } from '../harness/harness.ts'

/** Requests an SMS code for the step-up to the user's own number and reads it from the inbox. */
export async function askCheckCode(t: Harness, site: TestSite, browser: Browser, mobile: string): Promise<string> {
  await t.passMinute(site, `+86${mobile}`)
  const { status, body } = await browser.call(sendTwoFactorMobileCode)
  if (status !== 200) throw new Error(`no code was sent: ${status} ${body}`)
  return await codeTo(mobile)
}

/** A step-up, completed correctly. */
export async function passCheck(t: Harness, site: TestSite, browser: Browser, mobile: string): Promise<void> {
  const code = await askCheckCode(t, site, browser, mobile)
  const { status, body } = await browser.call(verifyTwoFactor, { code })
  if (status !== 200) throw new Error(`the check failed: ${status} ${body}`)
}
