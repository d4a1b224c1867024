import type { SecondWay, Way } from '@hufu/contract/two-factor'
import type { HeldSession } from '../../core/sessions.store.ts'
import type { UserState } from '../../core/sessions.ts'

type Account = Pick<UserState, 'mobile' | 'email' | 'password' | 'wechatOpenId'>

/** The way in which this account is checked: the first that it has. */
export function checkWay(account: Omit<Account, 'wechatOpenId'>): Way | null {
  if (account.mobile) return 'mobile'
  if (account.email) return 'email'
  return account.password ? 'password' : null
}

/**
 * A texted code that signs in and one that checks are one factor: from a browser that the account hasn't known for long,
 * one more kind of proof is owed, where the account has one. Answers the kinds of which one will do.
 */
export function owedProofs(account: Account, session: HeldSession): SecondWay[] {
  if (!session.newBrowser || session.second) return []
  return [
    ...(account.password ? ['password' as const] : []),
    ...(account.email ? ['email' as const] : []),
    ...(account.wechatOpenId ? ['wechat' as const] : []),
  ]
}
