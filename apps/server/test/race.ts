import { setTimeout as pause } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'

interface Ground {
  deps: { pool: Pool }
}

/** Holds the locks of a statement until it is released, so that two calls can be made to race. */
export async function held<Result>(
  { deps }: Ground,
  statement: string,
  values: unknown[],
  meanwhile: (holder: PoolClient) => Promise<Result>,
): Promise<Result> {
  const holder = await deps.pool.connect()
  try {
    await holder.query('BEGIN')
    await holder.query(statement, values)
    return await meanwhile(holder)
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
}

/** Until so many transactions of this database wait for a lock. */
export async function lockedOut(holder: Pick<Pool | PoolClient, 'query'>, count: number): Promise<void> {
  const asked = `SELECT count(*)::int AS waiting FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock'`
  for (let tried = 0; tried < 2_000; tried++) {
    // Statistics are read once in a transaction unless they are reset.
    await holder.query('SELECT pg_stat_clear_snapshot()')
    if ((await holder.query(asked)).rows[0].waiting >= count) return
    await pause(10)
  }
  throw new Error(`not ${count} that wait`)
}
