import type { SecondWay, Way } from '@hufu/contract/two-factor'
import type { Db } from '../../core/db.ts'
import type { SiteId, UserId } from '../../core/ids.ts'
import type { UserState } from '../../core/sessions.ts'
import { listKinds } from './proofs.store.ts'
import { settledKinds } from './step-up.ts'

/** The way in which this account is checked: the first that it has. */
export function checkWay(account: Pick<UserState, 'mobile' | 'email' | 'password'>): Way | null {
  if (account.mobile) return 'mobile'
  if (account.email) return 'email'
  return account.password ? 'password' : null
}

/** Whether what was just given counts besides a texted code. */
export async function isSecond(tx: Db, siteId: SiteId, userId: UserId, way: SecondWay): Promise<boolean> {
  return settledKinds(await listKinds(tx, siteId, userId)).includes(way)
}
