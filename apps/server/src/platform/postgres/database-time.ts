import { sql } from 'kysely'
import type { Db } from './db.ts'

/** Epoch milliseconds by the clock of PostgreSQL, where no followed clock is at hand: the machine's own may be wrong. */
export async function readDatabaseTime(db: Db): Promise<number> {
  const { rows } = await sql<{ now: number }>`
    SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now`.execute(db)
  const [read] = rows
  if (!read) throw new Error('PostgreSQL answered without the time')
  return read.now
}
