import type { SecondWay, Way } from '@hufu/contract/two-factor'
import { AppError } from '../../core/app-error.ts'
import type { Db } from '../../core/db.ts'
import type { SiteId, UserId } from '../../core/ids.ts'
import { requireCheck } from '../../core/require-check.ts'
import type { HeldSession } from '../../core/sessions.store.ts'
import type { Caller, UserState } from '../../core/sessions.ts'
import type { Site } from '../../core/sites.ts'
import { listKinds, type OwnKind, type SecondKind, setFresh } from './proofs.store.ts'

/** The way in which this account is checked: the first that it has. */
export function checkWay(account: Pick<UserState, 'mobile' | 'email' | 'password'>): Way | null {
  if (account.mobile) return 'mobile'
  if (account.email) return 'email'
  return account.password ? 'password' : null
}

/**
 * A texted code that signs in and one that checks are one factor: from a browser that the account hasn't known for long,
 * one more kind of proof is owed, where the account has one.
 */
const owes = (kinds: OwnKind[], session: HeldSession): boolean =>
  session.newBrowser && !session.second && kinds.length > 0

/** Those that count: nobody pays what they owe with what they have just set themselves. */
const settled = (kinds: OwnKind[]): SecondWay[] =>
  kinds.filter(({ freshUntil }) => freshUntil === null).map(({ kind }) => kind)

/** The kinds of which one will do; none where nothing is owed, and none where all that the account has is too fresh. */
export async function owedProofs(db: Db, siteId: SiteId, userId: UserId, session: HeldSession): Promise<SecondWay[]> {
  const kinds = await listKinds(db, siteId, userId)
  return owes(kinds, session) ? settled(kinds) : []
}

/** Refuses whoever still owes a second kind of proof, and says which there are or when there will be one. */
export async function requireSecond(tx: Db, siteId: SiteId, userId: UserId, session: HeldSession): Promise<void> {
  const kinds = await listKinds(tx, siteId, userId)
  if (!owes(kinds, session)) return
  const second = settled(kinds)
  if (second.length > 0) throw new AppError('TWO_FACTOR_REQUIRED', { second })
  throw new AppError('SECOND_TOO_FRESH', { until: Math.min(...kinds.map(({ freshUntil }) => freshUntil ?? 0)) })
}

/** Past every cache: a check that is in force and, from a browser that is new here, one more kind of proof. */
export async function requireProofs(tx: Db, site: Site, caller: Caller): Promise<void> {
  await requireSecond(tx, site.id, caller.userId, await requireCheck(tx, site.id, caller))
}

/** Whether what was just given counts besides a texted code. */
export async function isSecond(tx: Db, siteId: SiteId, userId: UserId, way: SecondWay): Promise<boolean> {
  return settled(await listKinds(tx, siteId, userId)).includes(way)
}

/**
 * To be called before a kind is set or replaced, under the person's lock: what a session sets that owes a proof is no
 * proof for 72 hours, however many kinds are fresh by then.
 */
export async function noteFresh(
  tx: Db,
  siteId: SiteId,
  userId: UserId,
  session: HeldSession,
  kind: SecondKind,
): Promise<void> {
  if (owes(await listKinds(tx, siteId, userId), session)) await setFresh(tx, siteId, userId, kind)
}
