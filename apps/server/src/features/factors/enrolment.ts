import { AppError } from '../../platform/app-error.ts'
import { keyedHash, matchesKeyedHash } from '../../platform/crypto/hash.ts'
import type { Keys } from '../../platform/crypto/secrets.ts'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordFailure } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { isOperator } from '../../shared/factors/factors.store.ts'
import { type HeldSession, lookAtSession } from '../../shared/sessions/sessions.store.ts'
import type { Caller, Changer } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { listKinds } from '../../shared/step-up/identity-proofs.store.ts'
import { deleteEnrolment, listFirstKinds, putEnrolment, readEnrolment, settlesAt } from './enrolment.store.ts'
import { newFactorCode, plainCode } from './factor-codes.ts'
import { forgiveTry } from './factor-tries.store.ts'
import { countFactorTry } from './prove-factor.ts'

const textOf = (siteId: SiteId, userId: UserId, code: string) => `${siteId} ${userId} ${plainCode(code)}`

/** The code with which an account enrols after a reset of its factors. */
export async function newEnrolment(
  tx: Db,
  keys: Keys,
  siteId: SiteId,
  userId: UserId,
): Promise<{ enrolment: string; expires: number }> {
  const enrolment = newFactorCode()
  const hash = keyedHash(keys, 'enrolment', textOf(siteId, userId, enrolment))
  return { enrolment, expires: await putEnrolment(tx, siteId, userId, hash) }
}

/**
 * Whether the account needs such a code: after a reset, and an operator whose number alone would be enough to enrol from
 * a browser that is new to the account.
 */
export async function needsEnrolment(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  { newBrowser, protected: isProtected }: HeldSession,
): Promise<boolean> {
  if (await readEnrolment(db, siteId, userId)) return true
  if (!newBrowser || isProtected || !(await isOperator(db, siteId, userId))) return false
  return await hasNumberOnly(db, siteId, userId)
}

/** A kind that a thief of the number has set first proves nothing more than the number. */
async function hasNumberOnly(db: Db, siteId: SiteId, userId: UserId): Promise<boolean> {
  const recent = await listFirstKinds(db, siteId, userId)
  return (await listKinds(db, siteId, userId)).every(({ kind }) => recent.includes(kind))
}

/**
 * A customer whose number alone is known enrols from a browser that the account has known for 72 hours: a thief of the
 * number would keep the owner out for good. An account that is newer itself has no earlier owner.
 */
async function refuseFresh(
  db: Db,
  { siteId, userId, session }: Enrolling,
  { newBrowser, protected: isProtected }: HeldSession,
): Promise<void> {
  if (!newBrowser || isProtected || !(await hasNumberOnly(db, siteId, userId))) return
  const until = await settlesAt(db, siteId, userId, session.id)
  if (until !== null) throw new AppError('SECOND_TOO_FRESH', { until })
}

type Enrolling = Pick<Caller, 'siteId' | 'userId'> & { session: Pick<Caller['session'], 'id'> }

/** Verifies the code where one is needed, outside of the transaction that spends it: a wrong guess stays counted. */
export async function proveEnrolment(
  deps: Pick<Deps, 'db' | 'config'>,
  site: Site,
  { caller, address }: Changer,
  code: string | undefined,
): Promise<void> {
  const { userId, session } = caller
  const held = await lookAtSession(deps.db, site.id, userId, session.id)
  if (!held) throw new AppError('SESSION_REMOVED')
  if (!(await needsEnrolment(deps.db, site.id, userId, held))) return await refuseFresh(deps.db, caller, held)
  if (code === undefined) throw new AppError('ENROLMENT_REQUIRED')
  await countFactorTry(deps, site, { userId, known: false })
  const stored = await readEnrolment(deps.db, site.id, userId)
  const right =
    stored?.valid && matchesKeyedHash(deps.config.keys, 'enrolment', textOf(site.id, userId, code), stored.hash)
  if (right) return await forgiveTry(deps.db, site.id, userId, false)
  await recordFailure(deps.db, site.id, { event: 'factor.failed', userId, address })
  throw new AppError('FACTOR_WRONG')
}

/** Once more under the user's lock, as a reset may have come in between; what was given is spent. */
export async function settleEnrolment(
  tx: Db,
  { config: { keys } }: Pick<Deps, 'config'>,
  caller: Enrolling,
  held: HeldSession,
  code: string | undefined,
): Promise<void> {
  const { siteId, userId } = caller
  if (!(await needsEnrolment(tx, siteId, userId, held))) return await refuseFresh(tx, caller, held)
  const stored = await readEnrolment(tx, siteId, userId)
  const right =
    code !== undefined &&
    stored?.valid &&
    matchesKeyedHash(keys, 'enrolment', textOf(siteId, userId, code), stored.hash)
  if (!right) throw new AppError('ENROLMENT_REQUIRED')
  await deleteEnrolment(tx, siteId, userId)
}
