import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { TestSite } from '../apps/server/test/test-app.ts'
import { figure } from './figure.ts'
import type { Harness } from './harness.ts'

/** Milliseconds before and after the end at which each thing is tried. */
export const moments = [-900, -600, 600, 900]

export interface Ending {
  table: string
  where: string
  /** From $2 on; the first is the site. */
  values: unknown[]
  column?: string
  /** How long after the column's time the thing ends. */
  life?: string
}

/** Sets an end two seconds ahead by the clock of the store; answers how long to wait for a moment around it. */
export async function endingSoon(
  t: Harness,
  site: TestSite,
  { table, where, values, column = 'expires_at', life = '0' }: Ending,
): Promise<(moment: number) => Promise<void>> {
  const set = performance.now()
  const { rowCount } = await t.deps.pool.query(
    `UPDATE ${table} SET ${column} = clock_timestamp() - interval '${life}' + interval '2 seconds'
      WHERE site_id = $1 AND ${where}`,
    [site.id, ...values],
  )
  expect(rowCount).toBe(1)
  return async (moment) => void (await sleep(Math.max(0, set + 2_000 + moment - performance.now())))
}

/** What was answered at the moments: in before the end, over after it. */
export function tellEnd(what: string, outcomes: string[], over: string): void {
  const wanted = moments.map((moment) => (moment < 0 ? 'in' : over))
  const off = outcomes.filter((outcome, index) => outcome !== wanted[index])
  expect.soft(outcomes, `${what} at ${moments.join(', ')} ms`).toEqual(wanted)
  figure(`${what} off by more than 0.6 s around their end`, off.length, ['=', 0])
}
