import type { SecondWay, Way } from '@hufu/contract/two-factor'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { UserState } from '../../shared/sessions/sessions.ts'
import { listKinds } from '../../shared/step-up/identity-proofs.store.ts'
import { settledKinds } from '../../shared/step-up/step-up.ts'

/** How this account does its step-up: the first way that it has. */
export function checkWay(account: Pick<UserState, 'mobile' | 'email' | 'password'>): Way | null {
  if (account.mobile) return 'mobile'
  if (account.email) return 'email'
  return account.password ? 'password' : null
}

/** Whether this proof counts besides a texted code. */
export async function isSecond(tx: Db, siteId: SiteId, userId: UserId, way: SecondWay): Promise<boolean> {
  return settledKinds(await listKinds(tx, siteId, userId)).includes(way)
}
