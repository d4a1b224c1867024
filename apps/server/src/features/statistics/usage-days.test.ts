import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestSite, times } from '../../../test/test-app.ts'
import { putUsage } from '../../../test/usage-rows.ts'
import { usageDaysJob } from './usage-days.ts'

const hour = 3_600_000
/** Ten minutes past midnight in China. */
let now = Date.parse('2025-03-14T16:10:00Z')
let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
  t.deps.clock = { now: () => now }
})
afterAll(() => t.close())

const rollUp = () => usageDaysJob(t.deps).run({})

async function days(site: TestSite): Promise<Record<string, [calls: number, users: number]>> {
  const { rows } = await t.deps.pool.query(
    `SELECT day::text, api_access::int AS calls, hll_cardinality(accessed_users)::int AS users
     FROM usage_day WHERE site_id = $1 ORDER BY day`,
    [site.id],
  )
  return Object.fromEntries(rows.map(({ day, calls, users }) => [day, [calls, users]]))
}

const countHours = async (site: TestSite): Promise<number> =>
  (await t.deps.pool.query('SELECT FROM usage_hour WHERE site_id = $1', [site.id])).rows.length

test('a day of China is summed up when it has ended, and a user who came in many of its hours is one', async () => {
  const site = await t.site()
  const user = randomUUID()
  const at = (moment: string, calls: number) =>
    putUsage(t, site, Date.parse(moment), { calls, accessed: [user, randomUUID()] })
  await at('2025-03-12T15:30:00Z', 1)
  await at('2025-03-12T16:00:00Z', 2)
  await at('2025-03-13T15:59:00Z', 3)
  await at('2025-03-13T16:00:00Z', 4)
  await at('2025-03-14T16:05:00Z', 5)
  await rollUp()
  expect(await days(site)).toEqual({ '2025-03-12': [1, 2], '2025-03-13': [5, 3], '2025-03-14': [4, 2] })
})

test('a flush that comes late is taken by the next run; running again changes nothing', async () => {
  const site = await t.site()
  await putUsage(t, site, now - 2 * hour, { calls: 4, accessed: [randomUUID()] })
  await rollUp()
  await putUsage(t, site, now - 2 * hour, { calls: 3, accessed: [randomUUID()] })
  await putUsage(t, site, now - 60 * hour, { calls: 1 })
  await Promise.all(times(3, rollUp))
  const summed = { '2025-03-12': [1, 0], '2025-03-14': [7, 2] }
  expect(await days(site)).toEqual(summed)
  await rollUp()
  expect(await days(site)).toEqual(summed)
})

test('a late flush is summed into the third day back, which was made before, and not into the fourth', async () => {
  const site = await t.site()
  const [third, fourth] = [now - 60 * hour, now - 84 * hour]
  for (const day of [third, fourth]) await putUsage(t, site, day, { calls: 1 })
  await rollUp()
  for (const day of [third, fourth]) await putUsage(t, site, day, { calls: 5 })
  await rollUp()
  expect(await days(site)).toEqual({ '2025-03-11': [1, 0], '2025-03-12': [6, 0] })
})

test('days that were not summed up while the worker was away are made when it is back', async () => {
  const site = await t.site()
  for (const ago of [1, 5, 30, 69]) await putUsage(t, site, now - ago * 24 * hour, { calls: ago })
  await rollUp()
  expect(Object.values(await days(site))).toEqual([
    [69, 0],
    [30, 0],
    [5, 0],
    [1, 0],
  ])
})

test('hours are kept for 70 days and their days for good', async () => {
  const site = await t.site()
  for (const ago of [69, 70, 71, 90]) await putUsage(t, site, now - ago * 24 * hour, { calls: ago })
  await rollUp()
  expect(await countHours(site)).toBe(2)
  const summed = await days(site)
  expect(Object.keys(summed)).toHaveLength(4)
  now += 24 * hour
  await rollUp()
  expect(await countHours(site)).toBe(1)
  expect(await days(site)).toEqual(summed)
})
