import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

/**
 * A sign-in at a client, which knows the user from now on: it is notified when the account is erased. The time is
 * written once an hour at most.
 */
export async function noteClient(tx: Db, siteId: SiteId, userId: UserId, clientId: string): Promise<void> {
  await sql`INSERT INTO authorized_client AS c (site_id, user_id, client_id) VALUES (${siteId}, ${userId}, ${clientId})
    ON CONFLICT (site_id, user_id, client_id) DO UPDATE SET last_at = now(), revoked_at = NULL,
      first_at = CASE WHEN c.revoked_at IS NULL THEN c.first_at ELSE now() END
    WHERE c.revoked_at IS NOT NULL OR c.last_at < now() - interval '1 hour'`.execute(tx)
}

/** A use of what a sign-in gave, such as a refresh: one that races with a revocation doesn't bring the client back. */
export async function touchClient(tx: Db, siteId: SiteId, userId: UserId, clientId: string): Promise<void> {
  await sql`UPDATE authorized_client SET last_at = now()
    WHERE site_id = ${siteId} AND user_id = ${userId} AND client_id = ${clientId} AND revoked_at IS NULL
      AND last_at < now() - interval '1 hour'`.execute(tx)
}
