import type { EventData, EventType } from '@hufu/contract/event-rules'
import { sql } from 'kysely'
import type { IdentityKind, SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

export interface NewEvent extends Omit<EventData, 'changed'> {
  type: EventType
  changed?: readonly string[] | undefined
  /** Whose erasure erases the event; undefined where it must outlive that, or is about no user. */
  subject: UserId | undefined
}

/**
 * Tells other systems, in the transaction of the cause: there is an event exactly when that happened. For one user it is
 * called under the lock of what changed, so that the time gives the order of the commits.
 */
export async function recordEvent(
  tx: Db,
  siteId: SiteId,
  { type, subject, id, changed = [], ...more }: NewEvent,
): Promise<void> {
  const data: EventData = { id, changed: [...changed], ...more }
  await sql`INSERT INTO event (site_id, type, subject, data)
    VALUES (${siteId}, ${type}, ${subject ?? null}, ${JSON.stringify(data)})`.execute(tx)
}

type UserEvent = Extract<EventType, `${'user' | 'identity' | 'factor' | 'operator'}.${string}`>

export const recordUserEvent = (
  tx: Db,
  siteId: SiteId,
  userId: UserId,
  type: Exclude<UserEvent, 'user.deleted'>,
  changed: readonly string[] = [],
): Promise<void> => recordEvent(tx, siteId, { type, subject: userId, id: userId, changed })

/** Nothing where none ended. */
export async function recordRevoked(
  tx: Db,
  siteId: SiteId,
  userId: UserId,
  sessions: SessionId[],
  reason: string,
): Promise<void> {
  if (sessions.length > 0)
    await recordEvent(tx, siteId, { type: 'session.revoked', subject: userId, id: userId, sessions, reason })
}

/** The ids of one WeChat account in several apps are one identity, told by the id of the app. */
export async function recordIdentity(
  tx: Db,
  siteId: SiteId,
  userId: UserId,
  type: 'identity.bound' | 'identity.unbound',
  kind: IdentityKind,
): Promise<void> {
  if (kind.startsWith('wechat.unionid')) return
  await recordUserEvent(tx, siteId, userId, type, [kind.startsWith('wechat.') ? 'wechat' : kind])
}
