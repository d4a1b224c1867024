import { randomUUID } from 'node:crypto'
import type { SiteId, UserId } from '../src/platform/ids.ts'
import { writeUsage } from '../src/shared/usage/usage.store.ts'
import { type Counter, type Crowd, countsIn, newBatch } from '../src/shared/usage/usage-batch.ts'
import type { TestApp, TestSite } from './test-app.ts'

export type Used = Partial<Record<Counter, number> & Record<Crowd, string[]>>

/** Usage of an hour of our choice, written as a process of its own writes it. */
export async function putUsage(
  { deps }: TestApp,
  { id }: TestSite,
  time: number,
  { authorized = [], accessed = [], ...numbers }: Used,
): Promise<void> {
  const batch = newBatch(1)
  const { counters, crowds } = countsIn(batch, id, time)
  Object.assign(counters, numbers)
  for (const user of authorized) crowds.authorized.add(user as UserId)
  for (const user of accessed) crowds.accessed.add(user as UserId)
  await writeUsage(deps.pool, randomUUID(), batch)
}

export interface Counted extends Record<Counter, number> {
  authorizedUsers: number
  accessedUsers: number
}

/** Everything that has been counted of a site so far. */
export async function readUsage({ deps }: TestApp, { id }: { id: SiteId }): Promise<Counted> {
  // Twice: the first may write what waits from before.
  await deps.usage.flush()
  await deps.usage.flush()
  const { rows } = await deps.pool.query<Counted>(
    `SELECT coalesce(sum(page_access), 0)::int AS pages, coalesce(sum(api_access), 0)::int AS calls,
       coalesce(sum(authorize_access), 0)::int AS authorizations, coalesce(sum(code_sent), 0)::int AS "codeSent",
       coalesce(sum(code_verified), 0)::int AS "codeVerified", coalesce(sum(code_signed_in), 0)::int AS "codeSignedIn",
       coalesce(sum(scan_shown), 0)::int AS "scanShown", coalesce(sum(scan_scanned), 0)::int AS "scanScanned",
       coalesce(sum(scan_approved), 0)::int AS "scanApproved",
       coalesce(hll_cardinality(hll_union_agg(authorized_users)), 0)::int AS "authorizedUsers",
       coalesce(hll_cardinality(hll_union_agg(accessed_users)), 0)::int AS "accessedUsers"
     FROM usage_hour WHERE site_id = $1`,
    [id],
  )
  return rows[0] as Counted
}
