import type { SecondWay } from '@hufu/contract/two-factor'
import { AppError } from '../../platform/app-error.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { type HeldSession, lookAtSession } from '../sessions/sessions.store.ts'
import type { Caller } from '../sessions/sessions.ts'
import { type StepUp, type StepUpLevel, stepUpProof } from './authority.ts'
import { listKinds, type OwnKind } from './identity-proofs.store.ts'

export interface StepUpOptions {
  /** A sign-in of the last ten minutes counts as the step-up. */
  recentSignIn?: boolean
  /** `holdSession`, where the session row must stay locked until the transaction ends. */
  read?: typeof lookAtSession
}

type Stepping = Pick<Caller, 'siteId' | 'userId'> & { session: Pick<Caller['session'], 'id'> }

/** Reads past every cache: a cached session may be outdated. */
export async function requireStepUp<Level extends StepUpLevel>(
  tx: Db,
  { siteId, userId, session }: Stepping,
  wanted: Level,
  { recentSignIn = false, read = lookAtSession }: StepUpOptions = {},
): Promise<StepUp<Level>> {
  const held = await read(tx, siteId, userId, session.id)
  if (!held) throw new AppError('SESSION_REMOVED')
  if (held.protected) {
    // A factor alone steps up a protected account, and is every kind of proof at once.
    if (!held.checked || !held.factor) throw new AppError('TWO_FACTOR_REQUIRED', { factor: true })
    return stepUpProof<Level>(held)
  }
  if (!held.checked && !(recentSignIn && held.fresh)) throw new AppError('TWO_FACTOR_REQUIRED')
  if (wanted === 'secondKind') requireSecond(await listKinds(tx, siteId, userId), held)
  return stepUpProof<Level>(held)
}

/** A texted code that signs in and one for the step-up are the same factor. */
const owes = (kinds: OwnKind[], session: HeldSession): boolean =>
  session.newBrowser && !session.second && kinds.length > 0

/** A kind that was set by a session which still owed a proof counts after 72 hours. */
export const settledKinds = (kinds: OwnKind[]): SecondWay[] =>
  kinds.filter(({ freshUntil }) => freshUntil === null).map(({ kind }) => kind)

/** The kinds of which one is owed; none where nothing is owed, and none where all that the account has is too fresh. */
export async function owedIdentityProofs(
  db: Db,
  { siteId, userId }: Stepping,
  session: HeldSession,
): Promise<SecondWay[]> {
  // A protected account owes its factor, and nothing besides.
  if (session.protected) return []
  const kinds = await listKinds(db, siteId, userId)
  return owes(kinds, session) ? settledKinds(kinds) : []
}

/** The refusal names the kinds that would do, or when one will. */
function requireSecond(kinds: OwnKind[], session: HeldSession): void {
  if (!owes(kinds, session)) return
  const second = settledKinds(kinds)
  if (second.length > 0) throw new AppError('TWO_FACTOR_REQUIRED', { second })
  throw new AppError('SECOND_TOO_FRESH', { until: Math.min(...kinds.map(({ freshUntil }) => freshUntil ?? 0)) })
}

/**
 * No step-up is needed, but a new browser owes a second kind as it does for one, and a session of a protected account
 * a factor at any time.
 */
export async function refuseOwing(tx: Db, { siteId, userId, session }: Stepping): Promise<void> {
  const held = await lookAtSession(tx, siteId, userId, session.id)
  if (!held) throw new AppError('SESSION_REMOVED')
  if (held.protected) {
    if (!held.withFactor) throw new AppError('TWO_FACTOR_REQUIRED', { factor: true })
    return
  }
  requireSecond(await listKinds(tx, siteId, userId), held)
}
