import type { TestApp, TestSite } from './test-app.ts'

/** The delivery failures of a site so far: count by kind, and the last code where there is one. */
export async function deliveryFailuresOf(
  { deps }: TestApp,
  { id }: TestSite,
): Promise<Record<string, [number, number | null]>> {
  await deps.deliveryFailures.flush()
  const { rows } = await deps.pool.query<{ kind: string; count: number; code: number | null }>(
    `SELECT kind, sum(count)::int AS count, (array_agg(code ORDER BY hour DESC))[1] AS code
     FROM trouble WHERE site_id = $1 GROUP BY kind`,
    [id],
  )
  return Object.fromEntries(rows.map(({ kind, count, code }) => [kind, [count, code]]))
}
