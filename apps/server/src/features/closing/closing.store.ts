import { closingDays } from '@hufu/contract/personal-data-rules'
import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import { enqueue } from '../../platform/jobs/enqueue.ts'
import type { Db } from '../../platform/postgres/db.ts'

/** When the account will be erased; undefined when that was requested already. */
export async function insertDeletion(db: Db, siteId: SiteId, userId: UserId): Promise<number | undefined> {
  const { rows } = await sql<{ due: number }>`
    INSERT INTO deletion (site_id, user_id, due_at)
    VALUES (${siteId}, ${userId}, clock_timestamp() + make_interval(days => ${closingDays}))
    ON CONFLICT DO NOTHING RETURNING floor(extract(epoch FROM due_at) * 1000)::float8 AS due`.execute(db)
  return rows[0]?.due
}

/** False when there is none, or it is too late. */
export async function deleteDeletion(db: Db, siteId: SiteId, userId: UserId): Promise<boolean> {
  const { numAffectedRows } = await sql`DELETE FROM deletion
    WHERE site_id = ${siteId} AND user_id = ${userId} AND due_at > clock_timestamp()`.execute(db)
  return numAffectedRows === 1n
}

export interface Due {
  siteId: SiteId
  userId: UserId
  id: string
  /** Whether the last mail was sent, and whether it was waited for long enough. */
  notified: boolean
  late: boolean
}

/** An account that an operator has disabled stays: the closing may not be its owner's. */
const kept = sql`EXISTS (SELECT FROM users u
  WHERE u.site_id = d.site_id AND u.id = d.user_id AND u.status = 'disabled')`

/**
 * The next account of any site that is due, for one worker; given again when it wasn't erased within two minutes. A
 * minute passes before anything is erased: sign-ins and writes of the last moment are done by then.
 */
export async function takeDue(db: Db): Promise<Due | undefined> {
  const { rows } = await sql<Due>`
    UPDATE deletion d SET held_until = clock_timestamp() + interval '2 minutes'
    FROM (SELECT site_id, user_id FROM deletion d
      WHERE due_at <= clock_timestamp() - interval '1 minute' AND (held_until IS NULL OR held_until <= clock_timestamp())
        AND NOT ${kept}
      ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED) next
    WHERE d.site_id = next.site_id AND d.user_id = next.user_id
    RETURNING d.site_id AS "siteId", d.user_id AS "userId", d.id, d.told_at IS NOT NULL AS notified,
      d.due_at < clock_timestamp() - interval '1 hour' AS late`.execute(db)
  return rows[0]
}

export async function markNotified(db: Db, siteId: SiteId, userId: UserId): Promise<void> {
  await sql`UPDATE deletion SET told_at = now() WHERE site_id = ${siteId} AND user_id = ${userId}`.execute(db)
}

/** For exactly one of several parallel calls, under the user's lock. */
export async function spendDue(db: Db, { siteId, userId, id }: Due): Promise<boolean> {
  const { numAffectedRows } = await sql`DELETE FROM deletion d WHERE site_id = ${siteId} AND user_id = ${userId}
    AND id = ${id} AND due_at <= clock_timestamp() AND NOT ${kept}`.execute(db)
  return numAffectedRows === 1n
}

export async function hasRights(db: Db, siteId: SiteId, userId: UserId): Promise<boolean> {
  const { rows } = await sql`SELECT FROM permission
    WHERE site_id = ${siteId} AND user_id = ${userId} LIMIT 1`.execute(db)
  return rows.length === 1
}

/** The clients that know the user. */
export async function listClients(db: Db, siteId: SiteId, userId: UserId): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`SELECT client_id AS id FROM authorized_client
    WHERE site_id = ${siteId} AND user_id = ${userId}`.execute(db)
  return rows.map(({ id }) => id)
}

export interface Gone {
  siteId: SiteId
  clientId: string
  userId: UserId
  time: number
  /** Stays the same for every retry. */
  id: string
}

/**
 * In the transaction of the erasure. Retried for more than two hours: a client that is being redeployed receives it
 * too.
 */
export async function queueDeletionWebhook(tx: Db, gone: Gone): Promise<void> {
  await enqueue(tx, 'client-told', gone, { retryDelay: 300, timeout: 60 })
}
