import { sql } from 'kysely'
import type { Db } from '../../core/db.ts'
import type { SiteId, UserId } from '../../core/ids.ts'

export interface AuthorizeRequest {
  source: string
  state: string | null
}

export async function insertRequest(
  db: Db,
  siteId: SiteId,
  hash: Buffer,
  { source, state }: AuthorizeRequest,
): Promise<void> {
  await sql`INSERT INTO authorize_request (site_id, hash, source, state, expires_at)
    VALUES (${siteId}, ${hash}, ${source}, ${state}, clock_timestamp() + interval '10 minutes')`.execute(db)
}

/** Whether it can still be bound. */
export async function isRequestAlive(db: Db, siteId: SiteId, hash: Buffer): Promise<boolean> {
  const { rows } = await sql`SELECT FROM authorize_request
    WHERE site_id = ${siteId} AND hash = ${hash} AND bound_at IS NULL AND expires_at > clock_timestamp()`.execute(db)
  return rows.length > 0
}

/** For exactly one of many at once; undefined when it is bound, expired or foreign. */
export async function bindRequest(db: Db, siteId: SiteId, hash: Buffer): Promise<AuthorizeRequest | undefined> {
  const { rows } = await sql<AuthorizeRequest>`
    UPDATE authorize_request SET bound_at = clock_timestamp()
    WHERE site_id = ${siteId} AND hash = ${hash} AND bound_at IS NULL AND expires_at > clock_timestamp()
    RETURNING source, state`.execute(db)
  return rows[0]
}

export async function insertTicket(
  db: Db,
  siteId: SiteId,
  hash: Buffer,
  { userId, origin }: { userId: UserId; origin: string },
): Promise<void> {
  await sql`INSERT INTO authorize_ticket (site_id, hash, user_id, origin, expires_at)
    VALUES (${siteId}, ${hash}, ${userId}, ${origin}, clock_timestamp() + interval '60 seconds')`.execute(db)
}

/** The client knows the person from now on: when they are erased, it is told. */
export async function noteClient(db: Db, siteId: SiteId, userId: UserId, clientId: string): Promise<void> {
  await sql`INSERT INTO authorized_client (site_id, user_id, client_id) VALUES (${siteId}, ${userId}, ${clientId})
    ON CONFLICT (site_id, user_id, client_id) DO UPDATE SET last_at = now()`.execute(db)
}

/** Whose it is, for exactly one of many at once; a ticket for other origins stays as it is. */
export async function spendTicket(
  db: Db,
  siteId: SiteId,
  hash: Buffer,
  origins: readonly string[],
): Promise<UserId | undefined> {
  const { rows } = await sql<{ userId: UserId }>`
    UPDATE authorize_ticket SET spent_at = clock_timestamp()
    WHERE site_id = ${siteId} AND hash = ${hash} AND origin = ANY(${origins})
      AND spent_at IS NULL AND expires_at > clock_timestamp()
    RETURNING user_id AS "userId"`.execute(db)
  return rows[0]?.userId
}
