import type { SecondWay, Way } from '@hufu/contract/two-factor'
import { AppError } from '../../core/app-error.ts'
import type { Db } from '../../core/db.ts'
import { requireCheck } from '../../core/require-check.ts'
import type { HeldSession } from '../../core/sessions.store.ts'
import type { Caller, UserState } from '../../core/sessions.ts'
import type { Site } from '../../core/sites.ts'

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

/** Past every cache: a check that is in force and, from a browser that is new here, one more kind of proof. */
export async function requireProofs(tx: Db, site: Site, caller: Caller): Promise<void> {
  const owed = owedProofs(caller.user, await requireCheck(tx, site.id, caller))
  if (owed.length > 0) throw new AppError('TWO_FACTOR_REQUIRED', { second: owed })
}
