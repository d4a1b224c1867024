import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Client } from '../../shared/sites/client-gate.ts'

export interface StoredAuthorization {
  clientId: string
  /** Null where the client never asked for consent. */
  scopes: string[] | null
  since: number
  lastUsed: number
}

export async function listStored(db: Db, siteId: SiteId, userId: UserId): Promise<StoredAuthorization[]> {
  const { rows } = await sql<StoredAuthorization>`
    SELECT a.client_id AS "clientId", c.scopes, floor(extract(epoch FROM a.first_at) * 1000)::float8 AS since,
      floor(extract(epoch FROM a.last_at) * 1000)::float8 AS "lastUsed"
    FROM authorized_client a LEFT JOIN oidc_consent c
      ON c.site_id = a.site_id AND c.user_id = a.user_id AND c.client_id = a.client_id
    WHERE a.site_id = ${siteId} AND a.user_id = ${userId} AND a.revoked_at IS NULL
    ORDER BY a.last_at DESC, a.client_id`.execute(db)
  return rows
}

/** Locks the row: of several at once one revokes. Undefined for a client that the user never signed in to. */
export async function markRevoked(
  tx: Db,
  siteId: SiteId,
  userId: UserId,
  clientId: string,
): Promise<{ first: boolean } | undefined> {
  const of = sql`site_id = ${siteId} AND user_id = ${userId} AND client_id = ${clientId}`
  const { rows } = await sql<{ first: boolean }>`
    SELECT revoked_at IS NULL AS first FROM authorized_client WHERE ${of} FOR UPDATE`.execute(tx)
  if (rows[0]?.first) await sql`UPDATE authorized_client SET revoked_at = now() WHERE ${of}`.execute(tx)
  return rows[0]
}

/** Tickets of the legacy flow know addresses, each of which belongs to one client. */
export async function voidTickets(
  tx: Db,
  siteId: SiteId,
  userId: UserId,
  { returns = [], sources = [] }: Pick<Client, 'returns' | 'sources'>,
): Promise<void> {
  await sql`UPDATE authorize_ticket SET spent_at = clock_timestamp()
    WHERE site_id = ${siteId} AND user_id = ${userId} AND spent_at IS NULL AND expires_at > clock_timestamp()
      AND CASE WHEN address IS NULL THEN origin = ANY(${sources}) ELSE address = ANY(${returns}) END`.execute(tx)
}

export async function deleteConsent(tx: Db, siteId: SiteId, userId: UserId, clientId: string): Promise<void> {
  await sql`DELETE FROM oidc_consent
    WHERE site_id = ${siteId} AND user_id = ${userId} AND client_id = ${clientId}`.execute(tx)
}
