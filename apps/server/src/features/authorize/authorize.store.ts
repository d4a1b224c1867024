import { sql } from 'kysely'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { letsIn } from '../../shared/sessions/session-list.store.ts'
import type { Client } from '../../shared/sites/client-gate.ts'

export interface AuthorizeRequest {
  source: string
  state: string | null
  /** Of PKCE. */
  challenge: string | null
}

export async function insertRequest(
  db: Db,
  siteId: SiteId,
  hash: Buffer,
  { source, state, challenge }: AuthorizeRequest,
): Promise<void> {
  await sql`INSERT INTO authorize_request (site_id, hash, source, state, challenge, expires_at)
    VALUES (${siteId}, ${hash}, ${source}, ${state}, ${challenge}, clock_timestamp() + interval '10 minutes')`.execute(
    db,
  )
}

/** Whether it can still be bound. */
export async function isRequestAlive(db: Db, siteId: SiteId, hash: Buffer): Promise<boolean> {
  const { rows } = await sql`SELECT FROM authorize_request
    WHERE site_id = ${siteId} AND hash = ${hash} AND bound_at IS NULL AND expires_at > clock_timestamp()`.execute(db)
  return rows.length > 0
}

/** For exactly one of several parallel calls; undefined when it is bound, expired or of another site. */
export async function bindRequest(db: Db, siteId: SiteId, hash: Buffer): Promise<AuthorizeRequest | undefined> {
  const { rows } = await sql<AuthorizeRequest>`
    UPDATE authorize_request SET bound_at = clock_timestamp()
    WHERE site_id = ${siteId} AND hash = ${hash} AND bound_at IS NULL AND expires_at > clock_timestamp()
    RETURNING source, state, challenge`.execute(db)
  return rows[0]
}

export interface NewTicket extends Pick<AuthorizeRequest, 'state' | 'challenge'> {
  userId: UserId
  sessionId: SessionId
  origin: string
  /** The whole address, where the client lists it. */
  address: string | null
}

export async function insertTicket(db: Db, siteId: SiteId, hash: Buffer, ticket: NewTicket): Promise<void> {
  const { userId, sessionId, origin, address, state, challenge } = ticket
  await sql`INSERT INTO authorize_ticket (site_id, hash, user_id, session_id, origin, address, state, challenge, expires_at)
    VALUES (${siteId}, ${hash}, ${userId}, ${sessionId}, ${origin}, ${address}, ${state}, ${challenge},
      clock_timestamp() + interval '60 seconds')`.execute(db)
}

export interface SpentTicket {
  userId: UserId
  state: string | null
  challenge: string | null
  /** Whether the session that made it is still live. */
  live: boolean
}

/** Spends a ticket, for exactly one of several parallel calls; a ticket for addresses of another client stays. */
export async function spendTicket(
  db: Db,
  siteId: SiteId,
  hash: Buffer,
  { returns = [], sources = [] }: Pick<Client, 'returns' | 'sources'>,
): Promise<SpentTicket | undefined> {
  const { rows } = await sql<SpentTicket>`
    UPDATE authorize_ticket t SET spent_at = clock_timestamp()
    WHERE t.site_id = ${siteId} AND t.hash = ${hash} AND t.spent_at IS NULL AND t.expires_at > clock_timestamp()
      AND CASE WHEN t.address IS NULL THEN t.origin = ANY(${sources}) ELSE t.address = ANY(${returns}) END
    RETURNING t.user_id AS "userId", t.state, t.challenge, t.session_id IS NULL OR EXISTS (
      SELECT FROM session s
      LEFT JOIN session_access a ON a.site_id = s.site_id AND a.user_id = s.user_id AND a.session_id = s.id
      WHERE s.site_id = t.site_id AND s.user_id = t.user_id AND s.id = t.session_id AND ${letsIn}) AS live`.execute(db)
  return rows[0]
}
