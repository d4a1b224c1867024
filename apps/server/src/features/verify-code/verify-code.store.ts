import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Asker } from '../../shared/send-limits/code-limits.ts'

export type Purpose =
  | 'login'
  | 'changeMobile'
  | 'authorize'
  | 'twoFactor'
  | 'confirm'
  | 'recovery'
  | 'recoveryMobile'
  | 'undo'

/** Such a code counts only where it was requested: it proves this session or ticket, not the user in general. */
const isBound = (purpose: Purpose) => ['twoFactor', 'recovery', 'recoveryMobile', 'undo'].includes(purpose)

/** Sends to a receiver within some time. */
export interface Sends {
  all: number
  /** Those that neither a session nor a known browser of its account requested. */
  strangers: number
}

export interface ReceiverState {
  /** Seconds until the next send is allowed; 0 when it is. */
  wait: number
  lastHour: Sends
  lastDay: Sends
}

/** Locks the receiver until the transaction ends, so that of two sends at once one sees the other. */
export async function lockReceiver(
  db: Db,
  siteId: SiteId,
  receiver: string,
  resendSeconds: number,
): Promise<ReceiverState> {
  await sql`INSERT INTO receiver (site_id, receiver) VALUES (${siteId}, ${receiver}) ON CONFLICT DO NOTHING`.execute(db)
  const { rows } = await sql<{ wait: number }>`
    SELECT greatest(0, ceil(extract(epoch FROM last_sent_at + make_interval(secs => ${resendSeconds}) - clock_timestamp())))::int AS wait
    FROM receiver WHERE site_id = ${siteId} AND receiver = ${receiver} FOR UPDATE`.execute(db)
  const { rows: sends } = await sql<{ inHour: boolean; own: boolean; count: number }>`
    SELECT at > clock_timestamp() - interval '1 hour' AS "inHour", asker = 'own' AS own, count(*)::int AS count
    FROM code_send WHERE site_id = ${siteId} AND receiver = ${receiver} AND at > clock_timestamp() - interval '1 day'
      AND outcome IS DISTINCT FROM 'refused'
    GROUP BY 1, 2`.execute(db)
  const sum = (of: typeof sends) => of.reduce((total, { count }) => total + count, 0)
  const split = (of: typeof sends): Sends => ({ all: sum(of), strangers: sum(of.filter(({ own }) => !own)) })
  return { wait: rows[0]?.wait ?? 0, lastHour: split(sends.filter(({ inHour }) => inHour)), lastDay: split(sends) }
}

export interface Code {
  purpose: Purpose
  hmac: Buffer
  sealed: string
  browserHash: Buffer
}

/** The live code of this receiver and purpose, if one still works for this asker. */
export async function findLiveCode(
  db: Db,
  siteId: SiteId,
  receiver: string,
  purpose: Purpose,
  browserHash: Buffer,
): Promise<string | undefined> {
  const { rows } = await sql<{ sealed: string }>`
    SELECT sealed FROM code WHERE site_id = ${siteId} AND receiver = ${receiver} AND purpose = ${purpose}
      AND (browser_hash = ${browserHash} OR NOT ${isBound(purpose)})
      AND spent_at IS NULL AND expires_at > now() AND own_tries < 5 AND other_tries < 5`.execute(db)
  return rows[0]?.sealed
}

/** Replaces the code. */
export async function putCode(
  db: Db,
  siteId: SiteId,
  receiver: string,
  code: Code,
  lifeSeconds: number,
): Promise<void> {
  await sql`
    INSERT INTO code (site_id, receiver, purpose, hmac, sealed, browser_hash, expires_at)
    VALUES (${siteId}, ${receiver}, ${code.purpose}, ${code.hmac}, ${code.sealed}, ${code.browserHash},
      now() + make_interval(secs => ${lifeSeconds}))
    ON CONFLICT (site_id, receiver, purpose) DO UPDATE
      SET hmac = excluded.hmac, sealed = excluded.sealed, browser_hash = excluded.browser_hash,
        expires_at = excluded.expires_at, own_tries = 0, other_tries = 0, spent_at = NULL`.execute(db)
}

/** Notes the send and starts the wait; answers the send's id. */
export async function insertSend(
  db: Db,
  siteId: SiteId,
  receiver: string,
  purpose: Purpose,
  asker: Asker,
): Promise<{ at: string; id: string }> {
  await sql`UPDATE receiver SET last_sent_at = clock_timestamp() WHERE site_id = ${siteId} AND receiver = ${receiver}`.execute(
    db,
  )
  const { rows } = await sql<{ at: string; id: string }>`
    INSERT INTO code_send (site_id, receiver, purpose, asker) VALUES (${siteId}, ${receiver}, ${purpose}, ${asker})
    RETURNING at::text, id`.execute(db)
  const [send] = rows
  if (!send) throw new Error('the send was not noted')
  return send
}

/** A send that was definitely refused doesn't delay the next one. */
export async function noteOutcome(
  db: Db,
  siteId: SiteId,
  receiver: string,
  send: { at: string; id: string },
  outcome: string,
): Promise<void> {
  await sql`UPDATE code_send SET outcome = ${outcome}
    WHERE site_id = ${siteId} AND receiver = ${receiver} AND at = ${send.at}::timestamptz AND id = ${send.id}`.execute(
    db,
  )
  if (outcome !== 'refused') return
  await sql`UPDATE receiver SET last_sent_at = NULL WHERE site_id = ${siteId} AND receiver = ${receiver}`.execute(db)
}

export interface Try {
  hmac: Buffer
}

/**
 * Counts a try before anything is compared; undefined when there is no code or no try left. A call that waited for a
 * parallel one which spent the code reads the row again: a code that is gone isn't one that was tried too often.
 */
export async function takeTry(
  db: Db,
  siteId: SiteId,
  receiver: string,
  purpose: Purpose,
  browserHash: Buffer,
): Promise<Try | 'exceeded' | undefined> {
  const { rows } = await sql<Try & { counted: boolean }>`
    WITH tried AS (
      UPDATE code SET
        own_tries = own_tries + CASE WHEN browser_hash = ${browserHash} THEN 1 ELSE 0 END,
        other_tries = other_tries + CASE WHEN browser_hash = ${browserHash} THEN 0 ELSE 1 END
      WHERE site_id = ${siteId} AND receiver = ${receiver} AND purpose = ${purpose}
        AND spent_at IS NULL AND expires_at > clock_timestamp()
        AND (browser_hash = ${browserHash} OR NOT ${isBound(purpose)})
        AND CASE WHEN browser_hash = ${browserHash} THEN own_tries ELSE other_tries END < 5
      RETURNING hmac
    ), exceeded AS (
      SELECT hmac FROM code
      WHERE NOT EXISTS (SELECT FROM tried) AND site_id = ${siteId} AND receiver = ${receiver} AND purpose = ${purpose}
        AND (browser_hash = ${browserHash} OR NOT ${isBound(purpose)})
        AND spent_at IS NULL AND expires_at > clock_timestamp()
      FOR SHARE
    )
    SELECT hmac, true AS counted FROM tried
    UNION ALL
    SELECT hmac, false FROM exceeded`.execute(db)
  const [row] = rows
  if (!row) return undefined
  return row.counted ? { hmac: row.hmac } : 'exceeded'
}

/** False when it was spent already or has expired: of several parallel calls exactly one gets true. */
export async function spend(
  db: Db,
  siteId: SiteId,
  receiver: string,
  purpose: Purpose,
  hmac: Buffer,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    UPDATE code SET spent_at = now() WHERE site_id = ${siteId} AND receiver = ${receiver} AND purpose = ${purpose}
      AND hmac = ${hmac} AND spent_at IS NULL AND expires_at > clock_timestamp()`.execute(db)
  return numAffectedRows === 1n
}
