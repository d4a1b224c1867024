import { AppError } from '../../platform/app-error.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { readLink, spendLink } from '../../shared/notices/notice-links.store.ts'
import { changeUser } from '../../shared/sessions/change-user.ts'
import { readUser } from '../../shared/sessions/sessions.store.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { refuseOwing } from '../../shared/step-up/step-up.ts'
import { queueNotice } from '../users/account-change-notices.ts'
import { endRecovery } from '../users/recovery.store.ts'
import { lockUser } from '../users/user.store.ts'
import { isRecovery } from './recovery.store.ts'

type Needs = Pick<Deps, 'db' | 'cache' | 'clock'>

/** Within a transaction that holds the user's lock; false when there was nothing to end. */
async function cancel(tx: Db, site: Site, userId: UserId, address: string, now: number): Promise<boolean> {
  const user = await readUser(tx, site.id, userId)
  const ended = user && (await endRecovery(tx, site.id, userId))
  if (!ended) return false
  await recordSecurity(tx, site.id, { event: 'recovery.cancel', userId, address })
  await queueNotice(tx, site, user, ended === 'factor' ? 'factorRecoveryCancelled' : 'recoveryCancelled', now)
  return true
}

export async function cancelRecovery(deps: Needs, site: Site, caller: Caller, address: string): Promise<null> {
  const { userId } = caller
  await changeUser(deps, site.id, userId, async (tx) => {
    await lockUser(tx, site.id, userId)
    // Read under the lock: a session that has ended meanwhile cancels nothing, and neither does a SIM card alone.
    await refuseOwing(tx, caller)
    if (!(await cancel(tx, site, userId, address, deps.clock.now()))) throw new AppError('RECOVERY_NONE')
  })
  return null
}

/** By the link of the notice: it ends the recovery of that notice, and no later one. */
export async function stopNoticedRecovery(deps: Needs, site: Site, token: string, address: string): Promise<null> {
  const link = await readLink(deps.db, site.id, 'recovery', token)
  if (!link) throw new AppError('NOTICE_EXPIRED')
  const { userId, subject } = link
  await changeUser(deps, site.id, userId, async (tx) => {
    await lockUser(tx, site.id, userId)
    const stopped =
      (await spendLink(tx, site.id, 'recovery', token)) &&
      (await isRecovery(tx, site.id, userId, subject)) &&
      (await cancel(tx, site, userId, address, deps.clock.now()))
    if (!stopped) throw new AppError('NOTICE_EXPIRED')
  })
  return null
}
