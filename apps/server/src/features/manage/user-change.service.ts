import { managedUser } from '@hufu/contract/manage-users'
import { AppError } from '../../platform/app-error.ts'
import type { SessionId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordOperator } from '../../shared/audit/operator-log.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { endTrustOf } from '../../shared/factors/factors.store.ts'
import type { Change } from '../../shared/machine/change.ts'
import { type Machine, machineName } from '../../shared/machine/machine.ts'
import { requireMatch } from '../../shared/machine/tag.ts'
import { changeSessions, changeUser } from '../../shared/sessions/change-user.ts'
import { forgetAllBrowsers, forgetBrowserOf } from '../../shared/sessions/known-browsers.store.ts'
import { endAllSessions, endSession } from '../../shared/sessions/sessions.store.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { lockUser } from '../users/user.store.ts'
import { applyStatus } from '../users/users.service.ts'
import { readManagedUser } from './users.service.ts'

type Needs = Pick<Deps, 'db' | 'cache'>

interface Acting {
  machine: Machine
  id: UserId
  change: Change
}

/**
 * Locks the user. Operators are out of reach: a stolen token must not shut out those who would notice. A grant
 * made meanwhile waits for the lock.
 */
async function holdUser(tx: Db, site: Site, { machine, id, change }: Acting): Promise<void> {
  if (!(await lockUser(tx, site.id, id))) throw new AppError('USER_UNKNOWN')
  const user = await readManagedUser({ db: tx }, site, machine, id)
  if (user.operator) throw new AppError('OPERATOR_REFUSED')
  requireMatch(change.ifMatch, managedUser.parse(user))
}

export async function setManagedStatus(
  deps: Needs,
  site: Site,
  acting: Acting,
  status: 'active' | 'disabled',
): Promise<{ id: string; status: 'active' | 'disabled' }> {
  const { machine, id, change } = acting
  return await changeUser(deps, site.id, id, async (tx, ended) => {
    await holdUser(tx, site, acting)
    ended(await applyStatus(tx, site.id, id, status, machineName(machine)))
    return await change.settle(tx, { id, status })
  })
}

/** No session has this id. */
const none = '00000000-0000-0000-0000-000000000000' as SessionId

export async function revokeSession(
  deps: Needs,
  site: Site,
  acting: Acting,
  session: SessionId,
): Promise<{ ended: number }> {
  const { machine, id, change } = acting
  return await changeSessions(deps, site.id, id, async (tx, ended) => {
    await holdUser(tx, site, acting)
    if (!(await endSession(tx, site.id, id, session, 'operator'))) throw new AppError('NOT_FOUND')
    ended([session])
    await forgetBrowserOf(tx, site.id, id, session, none)
    await endTrustOf(tx, site.id, id, session)
    await recordOperator(tx, site.id, { operator: machineName(machine), action: 'user.endSession', target: id })
    await recordSecurity(tx, site.id, { event: 'account.signOut', userId: id, address: null })
    return await change.settle(tx, { ended: 1 })
  })
}

export async function revokeSessions(deps: Needs, site: Site, acting: Acting): Promise<{ ended: number }> {
  const { machine, id, change } = acting
  return await changeUser(deps, site.id, id, async (tx, report) => {
    await holdUser(tx, site, acting)
    const sessions = await endAllSessions(tx, site.id, id, 'operator')
    report(sessions)
    await forgetAllBrowsers(tx, site.id, id)
    const detail = { count: sessions.length }
    await recordOperator(tx, site.id, { operator: machineName(machine), action: 'user.signOut', target: id, detail })
    await recordSecurity(tx, site.id, { event: 'account.signOut', userId: id, address: null })
    return await change.settle(tx, { ended: sessions.length })
  })
}
