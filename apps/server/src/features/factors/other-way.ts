import { AppError } from '../../platform/app-error.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { readUser } from '../../shared/sessions/sessions.store.ts'
import { rpIdOf } from '../../shared/sites/rp-id.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { canSignIn } from '../users/login-methods.ts'
import { readFacts } from '../users/user.store.ts'
import { listCredentials } from './passkeys.store.ts'

/** Whether the account can be signed in to without a texted code: an authenticator is no way in by itself. */
export async function hasOtherWay(db: Db, site: Site, userId: UserId): Promise<boolean> {
  const user = await readUser(db, site.id, userId)
  const facts = await readFacts(db, site.id, userId)
  if (!user || !facts) throw new AppError('SESSION_REMOVED')
  const methods = site.login.methods.filter((method) => method !== 'mobile')
  if (canSignIn({ login: { ...site.login, methods } }, { ...user, ...facts })) return true
  return (await listCredentials(db, site.id, userId, rpIdOf(site))).length > 0
}

/** In the transaction of a removal: an account that keeps an authenticator keeps the other way in that it was bound with. */
export async function leavesWay(tx: Db, site: Site, userId: UserId): Promise<boolean> {
  const facts = await readFacts(tx, site.id, userId)
  return !facts?.factors.totp || (await hasOtherWay(tx, site, userId))
}
