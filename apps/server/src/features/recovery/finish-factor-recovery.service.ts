import { AppError } from '../../platform/app-error.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { deleteFactors, isOperator } from '../../shared/factors/factors.store.ts'
import type { Visitor } from '../../shared/sessions/begin-session.ts'
import { changeUser } from '../../shared/sessions/change-user.ts'
import { endAllSessions } from '../../shared/sessions/sessions.store.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { withoutStepUp } from '../../shared/step-up/authority.ts'
import { endRecovery } from '../users/recovery.store.ts'
import { requireReady } from './finish-recovery.service.ts'
import { notifyFinish } from './recovery-notices.ts'
import { hold, holderOf } from './tickets.ts'

/** Removes lost factors after the wait; the account is signed in to as one that never had any. Never an operator's. */
export async function finishFactorRecovery(
  deps: Pick<Deps, 'db' | 'cache' | 'clock'>,
  site: Site,
  ticket: string,
  visitor: Visitor,
): Promise<null> {
  const holder = await holderOf(deps, site, ticket, 'both', visitor)
  const userId = holder.owner.id
  await changeUser(deps, site.id, userId, async (tx, ended) => {
    const owner = await hold(tx, site, holder, 'both')
    // Rights may have been given during the wait.
    if (await isOperator(tx, site.id, userId)) throw new AppError('RECOVERY_CONTACT')
    await requireReady(tx, site, userId, 'factor')
    await deleteFactors(tx, withoutStepUp('recovery'), site.id, userId)
    await endRecovery(tx, site.id, userId)
    ended(await endAllSessions(tx, site.id, userId, 'recovery'))
    await recordSecurity(tx, site.id, { event: 'factor.recovered', userId, address: visitor.address })
    await notifyFinish(tx, site, owner, 'factor', deps.clock.now())
  })
  return null
}
