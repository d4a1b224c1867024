import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import type { Harness } from '../harness/harness.ts'

/** Milliseconds before and after the end at which each thing is tried. */
const moments = [-900, -600, 600, 900]
/** From setting an end until it comes. */
export const ahead = 2_000

interface Ending {
  table: string
  where: string
  /** From $2 on; the first is the site. */
  values: unknown[]
  column?: string
  /** How long after the column's time the thing ends. */
  life?: string
}

/** Sets an end two seconds ahead by the clock of the store. */
export async function endSoon(
  t: Harness,
  site: TestSite,
  { table, where, values, column = 'expires_at', life = '0' }: Ending,
): Promise<void> {
  const { rowCount } = await t.deps.pool.query(
    `UPDATE ${table} SET ${column} = clock_timestamp() - interval '${life}' + interval '${ahead} milliseconds'
      WHERE site_id = $1 AND ${where}`,
    [site.id, ...values],
  )
  expect(rowCount).toBe(1)
}

/** Asserts the remaining lifetime of something just created; in milliseconds, exact to a second. */
export function expectLife(left: number, whole: number, begun: number): void {
  expect(left).toBeLessThan(whole + 1_000)
  expect(left).toBeGreaterThan(whole - (performance.now() - begun) - 1_000)
}

/** What shall end in two seconds, and what comes of using it: `in`, or a refusal. */
interface Trial {
  end(): Promise<void>
  use(): Promise<string>
}

/** What was answered at a moment. Where a slow machine missed the moment, another such thing is tried. */
async function tryAt(moment: number, make: () => Promise<Trial>, tries = 5): Promise<string> {
  const { end, use } = await make()
  const setFrom = performance.now()
  await end()
  const setBy = performance.now()
  await sleep(Math.max(0, setFrom + ahead + moment - performance.now()))
  const asked = performance.now()
  const outcome = await use()
  const inTime = moment < 0 ? performance.now() < setFrom + ahead : asked > setBy + ahead
  if (inTime || tries === 1) return outcome
  return await tryAt(moment, make, tries - 1)
}

/** Tries one such thing at each moment around its end: in before it, over after it. */
export async function tryAround(what: string, over: string, make: () => Promise<Trial>): Promise<void> {
  const outcomes = await Promise.all(moments.map((moment) => tryAt(moment, make)))
  const wanted = moments.map((moment) => (moment < 0 ? 'in' : over))
  const off = outcomes.filter((outcome, index) => outcome !== wanted[index])
  expect.soft(outcomes, `${what} at ${moments.join(', ')} ms`).toEqual(wanted)
  figure(`${what} off by more than 0.6 s around their end`, off.length, ['=', 0])
}
