import type { Pool } from 'pg'
import type { Log } from './log.ts'
import { gauge } from './metrics/metrics.ts'
import { repeatEvery } from './repeat-every.ts'

/**
 * The time for everything that is displayed, counted by the hour or signed. What must expire exactly asks the store
 * itself.
 */
export interface Clock {
  now(): number
}

export interface StoreClock extends Clock {
  close(): void
}

const lookEvery = 5_000
/** A reading is as exact as it was quick. */
const slowReading = 500
/** Milliseconds from which on it is logged. */
const worthLogging = 2_000

const ahead = gauge('hufu_clock_ahead_seconds', "How far the machine's clock is ahead of the database's.")

/**
 * The clock of PostgreSQL, read now and then, continued by the monotonic clock of this process: all processes agree,
 * however wrong their machines are. Before the first reading it is the machine's own clock.
 */
export async function followClock(pool: Pool, log: Log): Promise<StoreClock> {
  let offset = Date.now() - performance.now()
  let read = false
  let logged = false

  async function look() {
    const asked = performance.now()
    const { rows } = await pool.query<{ now: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now',
    )
    const answered = performance.now()
    if (!rows[0] || (read && answered - asked > slowReading)) return
    offset = rows[0].now - (asked + answered) / 2
    read = true
    logIfWrong()
  }

  function logIfWrong() {
    const aheadMs = Math.round(Date.now() - performance.now() - offset)
    ahead.value = aheadMs / 1_000
    const wrong = Math.abs(aheadMs) > worthLogging
    if (wrong && !logged) log.warn({ aheadMs }, "the machine's clock differs from the database's, which is used")
    logged = wrong
  }

  // An outage is logged where the store is used.
  const tryLook = () => look().catch(() => {})
  await tryLook()
  const looking = repeatEvery(lookEvery, tryLook)

  return {
    now: () => Math.floor(performance.now() + offset),
    close: looking.stop,
  }
}
