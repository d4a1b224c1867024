import { sql } from 'kysely'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

const most = 5
const windowMinutes = 10

const over = sql`f.since <= clock_timestamp() - make_interval(mins => ${windowMinutes})`

/**
 * Counts a guess before it is compared: of many at once, so many as are left get through. Answers the seconds to wait
 * where none is.
 */
export async function countTry(db: Db, siteId: SiteId, userId: UserId, known: boolean): Promise<number> {
  const { numAffectedRows } = await sql`
    INSERT INTO factor_tries AS f (site_id, user_id, known, tries) VALUES (${siteId}, ${userId}, ${known}, 1)
    ON CONFLICT (site_id, user_id, known) DO UPDATE SET tries = CASE WHEN ${over} THEN 1 ELSE f.tries + 1 END,
      since = CASE WHEN ${over} THEN clock_timestamp() ELSE f.since END
      WHERE f.tries < ${most} OR ${over}`.execute(db)
  if (numAffectedRows === 1n) return 0
  const { rows } = await sql<{ wait: number }>`
    SELECT ceil(extract(epoch FROM since + make_interval(mins => ${windowMinutes}) - clock_timestamp()))::int AS wait
    FROM factor_tries WHERE site_id = ${siteId} AND user_id = ${userId} AND known = ${known}`.execute(db)
  return Math.max(rows[0]?.wait ?? 1, 1)
}

/** A right code doesn't count; wrong ones before it do. */
export async function forgiveTry(db: Db, siteId: SiteId, userId: UserId, known: boolean): Promise<void> {
  await sql`UPDATE factor_tries SET tries = tries - 1
    WHERE site_id = ${siteId} AND user_id = ${userId} AND known = ${known} AND tries > 0`.execute(db)
}
