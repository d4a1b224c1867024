import { AppError } from '../../platform/app-error.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { changeUser } from '../../shared/sessions/change-user.ts'
import type { SessionToken } from '../../shared/sessions/session-cookie.ts'
import { endOtherSessions, holdSession } from '../../shared/sessions/sessions.store.ts'
import type { Changer } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { queueNotice } from '../users/account-change-notices.ts'
import { changeAccount } from '../users/change-account.ts'
import { listAdmins, lockRights } from '../users/rights.store.ts'
import { holdAccount } from '../users/users.store.ts'
import { deleteDeletion, insertDeletion } from './closing.store.ts'

type Needs = Pick<Deps, 'db' | 'cache' | 'clock'>

/** One ADMIN must stay who can appoint others; one who is closing their own account doesn't count. */
async function refuseLastAdmin(tx: Db, site: Site, userId: UserId): Promise<void> {
  if (!(await listAdmins(tx, site.id)).includes(userId)) return
  const others = (await listAdmins(tx, site.id, { staying: true })).filter((id) => id !== userId)
  if (others.length === 0) throw new AppError('LAST_ADMIN')
}

async function beginClosing(tx: Db, site: Site, userId: UserId): Promise<number> {
  const due = await insertDeletion(tx, site.id, userId)
  if (due === undefined) throw new AppError('CLOSING_ALREADY')
  return due
}

/** Requests the erasure of the account. All other sessions end, and every contact is notified. */
export async function closeAccount(
  deps: Needs,
  site: Site,
  changer: Changer,
): Promise<{ token: SessionToken; due: number }> {
  const { userId, session } = changer.caller
  const frame = { kind: 'closing', event: 'account.close', first: (tx: Db) => lockRights(tx, site.id) } as const
  let due = 0
  const token = await changeAccount(deps, site, changer, frame, async (tx) => {
    await refuseLastAdmin(tx, site, userId)
    due = await beginClosing(tx, site, userId)
    return await endOtherSessions(tx, site.id, userId, session.id, 'closing')
  })
  return { token, due }
}

/** Revokes that; nothing else does, signing in least of all. */
export async function keepAccount(deps: Needs, site: Site, { caller, address }: Changer): Promise<null> {
  const { userId, session } = caller
  await changeUser(deps, site.id, userId, async (tx) => {
    const account = await holdAccount(tx, site.id, userId)
    if (!account || !(await holdSession(tx, site.id, userId, session.id))) throw new AppError('SESSION_REMOVED')
    if (!(await deleteDeletion(tx, site.id, userId))) throw new AppError('CLOSING_NONE')
    await recordSecurity(tx, site.id, { event: 'account.keep', userId, address })
    await queueNotice(tx, site, account, 'kept', deps.clock.now())
  })
  return null
}
