import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

const day = 86_400

/** Takes one send from a day's quota; answers 0, or the seconds to wait where it is spent. */
export async function takeSend(db: Db, siteId: SiteId, budget: string, bound: number): Promise<number> {
  if (bound < 1) return day
  const { rows: taken } = await sql`
    INSERT INTO send_budget AS b (site_id, budget, sent, ends_at)
    VALUES (${siteId}, ${budget}, 1, now() + make_interval(secs => ${day}))
    ON CONFLICT (site_id, budget) DO UPDATE SET
      sent = CASE WHEN b.ends_at <= now() THEN 1 ELSE b.sent + 1 END,
      ends_at = CASE WHEN b.ends_at <= now() OR b.sent = 0 THEN excluded.ends_at ELSE b.ends_at END
    WHERE b.ends_at <= now() OR b.sent < ${bound}
    RETURNING sent`.execute(db)
  if (taken.length === 1) return 0
  const { rows } = await sql<{ wait: number }>`
    SELECT ceil(extract(epoch FROM ends_at - now()))::int AS wait
    FROM send_budget WHERE site_id = ${siteId} AND budget = ${budget}`.execute(db)
  return Math.max(rows[0]?.wait ?? 1, 1)
}

export async function returnSends(db: Db, siteId: SiteId, budgets: string[]): Promise<void> {
  await sql`UPDATE send_budget SET sent = sent - 1
    WHERE site_id = ${siteId} AND budget = ANY(${budgets}) AND sent > 0`.execute(db)
}
