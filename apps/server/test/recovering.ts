import {
  finishRecovery,
  openRecovery,
  proveRecovery,
  type RecoveryStanding,
  sendRecoveryEmailCode,
  sendRecoveryMobileCode,
  startRecovery,
} from '@hufu/contract/recovery'
import type { Pool } from 'pg'
import { password } from './account-user.ts'
import { codeTo, fresh, type TestBrowser, type TestSite } from './test-app.ts'

/** What tests of one process and attacks on two have in common. */
interface Ground {
  deps: { pool: Pool }
  passMinute(site: TestSite, receiver: string): Promise<void>
}

type Caller = Pick<TestBrowser, 'call'>

/** The ticket for the right password. */
export async function openTicket(browser: Caller, account: string): Promise<string> {
  const { data, code } = await browser.call(openRecovery, { account, password })
  if (!data) throw new Error(`no ticket: ${code}`)
  return data.ticket
}

/** Has the code mailed and reads it. */
export async function mailedCode(
  t: Ground,
  site: TestSite,
  browser: Caller,
  ticket: string,
  email: string,
): Promise<string> {
  await t.passMinute(site, email)
  const { status, code } = await browser.call(sendRecoveryEmailCode, { ticket })
  if (status !== 200) throw new Error(`no code was mailed: ${code}`)
  return await codeTo(email)
}

/** Both proofs, given honestly. */
export async function provedTicket(
  t: Ground,
  site: TestSite,
  browser: Caller,
  { username, email }: { username: string; email: string },
): Promise<{ ticket: string; standing: RecoveryStanding }> {
  const ticket = await openTicket(browser, username)
  const answer = await browser.call(proveRecovery, {
    ticket,
    code: await mailedCode(t, site, browser, ticket, email),
  })
  if (!answer.data) throw new Error(`not proved: ${answer.code}`)
  return { ticket, standing: answer.data }
}

/** Moves a user's recovery past its waiting time. */
export async function pass(t: Ground, userId: string, time: string): Promise<void> {
  await t.deps.pool.query(
    'UPDATE recovery SET ready_at = ready_at - $2::interval, expires_at = expires_at - $2::interval WHERE user_id = $1',
    [userId, time],
  )
}

/** A recovery that has waited, and a proved ticket to it. */
export async function readyTicket(
  t: Ground,
  site: TestSite,
  browser: Caller,
  user: { id: string; username: string; email: string },
): Promise<string> {
  const { ticket } = await provedTicket(t, site, browser, user)
  const { status, code } = await browser.call(startRecovery, { ticket })
  if (status !== 200) throw new Error(`not begun: ${code}`)
  await pass(t, user.id, '72 hours')
  return ticket
}

/** A new number and the code sent to it. */
export async function wantedNumber(browser: Caller, ticket: string, mobile = fresh.mobile()) {
  const { status, code } = await browser.call(sendRecoveryMobileCode, { ticket, mobilePrefix: '86', mobile })
  if (status !== 200) throw new Error(`no code was texted: ${code}`)
  return { ticket, mobilePrefix: '86', mobile, code: await codeTo(mobile) }
}

/** Sets an unused number, with the right code. */
export const finish = async (browser: Caller, ticket: string, mobile?: string) =>
  browser.call(finishRecovery, await wantedNumber(browser, ticket, mobile))
