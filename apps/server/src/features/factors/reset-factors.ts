import { AppError } from '../../platform/app-error.ts'
import type { SessionId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordOperator } from '../../shared/audit/operator-log.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { deleteFactors } from '../../shared/factors/factors.store.ts'
import { forgetAllBrowsers } from '../../shared/sessions/known-browsers.store.ts'
import { endAllSessions } from '../../shared/sessions/sessions.store.ts'
import type { UserState } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import type { Authority } from '../../shared/step-up/authority.ts'
import { queueNotice } from '../users/account-change-notices.ts'
import { notifyFactorReset } from '../users/admin-notices.ts'
import { newEnrolment } from './enrolment.ts'

export interface Reset {
  /** A user's id, or `cli:` and a name. */
  operator: string
  reason: string
}

/** The code with which the operator enrols again, and until when. */
export interface ResetFactors {
  enrolment: string
  expires: number
}

/**
 * Removes the factors that an operator has lost, under the lock of the user's row: the sessions end with them, and only
 * the code that is answered lets the account enrol again, or the number would be enough. Customers have the recovery.
 */
export async function resetFactors(
  tx: Db,
  { config, clock }: Pick<Deps, 'config'> & { clock: Pick<Deps['clock'], 'now'> },
  site: Site,
  user: UserState,
  by: Authority,
  { operator, reason }: Reset,
): Promise<ResetFactors & { ended: SessionId[] }> {
  const { id } = user
  if (!user.permission.MERCHANT) throw new AppError('FORBIDDEN')
  await deleteFactors(tx, by, site.id, id)
  const ended = await endAllSessions(tx, site.id, id, 'operator')
  await forgetAllBrowsers(tx, site.id, id)
  const ticket = await newEnrolment(tx, config.keys, site.id, id)
  // PostgreSQL accepts no lone surrogates in JSON.
  const detail = { reason: reason.toWellFormed() }
  await recordOperator(tx, site.id, { operator, action: 'user.resetFactors', target: id, detail })
  await recordSecurity(tx, site.id, { event: 'factor.reset', userId: id, address: null })
  await queueNotice(tx, site, user, 'factorsReset', clock.now())
  await notifyFactorReset(tx, site, { by: operator, to: id }, clock.now())
  return { ...ticket, ended }
}
