import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

/** One key of one client; `holder` is the request that works on it. */
export interface HeldKey {
  siteId: SiteId
  clientId: string
  key: Buffer
  request: Buffer
  holder: string
}

const of = ({ siteId, clientId, key }: HeldKey) => sql`site_id = ${siteId} AND client_id = ${clientId} AND key = ${key}`

/**
 * True for exactly one of several at once. A request that died without an answer is followed after a minute: it can't
 * commit any more, since its holder is another.
 */
export async function holdKey(db: Db, held: HeldKey): Promise<boolean> {
  const { siteId, clientId, key, request, holder } = held
  const { numAffectedRows } = await sql`
    INSERT INTO idempotent_answer AS a (site_id, client_id, key, request, holder, held_until, expires_at)
    VALUES (${siteId}, ${clientId}, ${key}, ${request}, ${holder}, clock_timestamp() + interval '1 minute',
      clock_timestamp() + interval '24 hours')
    ON CONFLICT (site_id, client_id, key) DO UPDATE SET request = excluded.request, holder = excluded.holder,
      held_until = excluded.held_until, expires_at = excluded.expires_at, answer = NULL
      WHERE a.expires_at <= clock_timestamp()
        OR (a.answer IS NULL AND a.held_until <= clock_timestamp() AND a.request = excluded.request)`.execute(db)
  return numAffectedRows === 1n
}

export interface KnownKey {
  request: Buffer
  /** Null while a request is at work. */
  answer: unknown
}

export async function readKey(db: Db, held: HeldKey): Promise<KnownKey | undefined> {
  const { rows } = await sql<KnownKey>`SELECT request, answer FROM idempotent_answer
    WHERE ${of(held)} AND expires_at > clock_timestamp()`.execute(db)
  return rows[0]
}

/** In the transaction of the change; false where another request has taken over. */
export async function storeAnswer(tx: Db, held: HeldKey, answer: object): Promise<boolean> {
  const { numAffectedRows } = await sql`UPDATE idempotent_answer SET answer = ${JSON.stringify(answer)}
    WHERE ${of(held)} AND holder = ${held.holder} AND answer IS NULL`.execute(tx)
  return numAffectedRows === 1n
}

/** What was refused changed nothing: the next request with this key is judged anew. */
export async function releaseKey(db: Db, held: HeldKey): Promise<void> {
  await sql`DELETE FROM idempotent_answer WHERE ${of(held)} AND holder = ${held.holder} AND answer IS NULL`.execute(db)
}
