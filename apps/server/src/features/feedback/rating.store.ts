import type { FeedbackRating } from '@hufu/contract/feedback'
import { sql } from 'kysely'
import type { SiteId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'

/** Writes the user's rating over the former one; answers when. */
export async function setRating(
  db: Db,
  siteId: SiteId,
  id: string,
  { score, words }: Omit<FeedbackRating, 'time'>,
): Promise<number> {
  const { rows } = await sql<{ time: number }>`
    UPDATE feedback SET rating = ${score}, rating_words = ${words},
      rated_at = date_trunc('milliseconds', clock_timestamp())
    WHERE site_id = ${siteId} AND id = ${id}
    RETURNING floor(extract(epoch FROM rated_at) * 1000)::float8 AS time`.execute(db)
  const [rated] = rows
  if (!rated) throw new Error('no conversation was rated')
  return rated.time
}
