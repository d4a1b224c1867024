import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestSite, times } from '../../../test/test-app.ts'
import { upkeep } from '../../worker.ts'
import { startDeliveryFailures } from './delivery-failures.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

async function rowsOf({ id }: TestSite) {
  const { rows } = await t.deps.pool.query(
    'SELECT kind, sum(count)::int AS count, max(code) AS code FROM trouble WHERE site_id = $1 GROUP BY kind ORDER BY kind',
    [id],
  )
  return rows
}

/** How many statements have changed rows of the table. */
async function changes(): Promise<number> {
  const { rows } = await t.deps.pool.query('SELECT count(*)::int AS n FROM trouble_change')
  return rows[0].n
}

test('a storm is summed and changes its row about once a second', async () => {
  const site = await t.site()
  await t.deps.pool.query(`CREATE TABLE trouble_change (at timestamptz DEFAULT now());
    CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO trouble_change DEFAULT VALUES; RETURN NEW; END';
    CREATE TRIGGER changed BEFORE INSERT ON trouble FOR EACH ROW EXECUTE FUNCTION note_change()`)
  const began = performance.now()
  let noted = 0
  while (performance.now() < began + 2_500) {
    for (const _ of times(100, () => 0)) t.deps.deliveryFailures.note(site.id, 'wechat', 40_000 + (noted++ % 7))
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  t.deps.deliveryFailures.note(site.id, 'wechat', 45_009)
  await expect.poll(async () => (await rowsOf(site))[0]?.count, { timeout: 5_000 }).toBe(noted + 1)
  expect(await rowsOf(site)).toMatchObject([{ kind: 'wechat', code: 45_009 }])
  const seconds = (performance.now() - began) / 1_000
  expect(await changes()).toBeLessThanOrEqual(seconds + 2)
  await t.deps.pool.query('DROP TRIGGER changed ON trouble')
})

test('processes add up at the same time, and rows of many sites are never waited for in a circle', async () => {
  const sites = await Promise.all(times(10, () => t.site()))
  const processes = times(3, () => startDeliveryFailures(t.deps.pool, t.deps.log))
  for (let round = 0; round < 10; round++) {
    for (const [position, deliveryFailures] of processes.entries())
      for (const { id } of position ? sites : sites.toReversed()) deliveryFailures.note(id, 'mailFailed')
    await Promise.all(processes.flatMap((deliveryFailures) => [deliveryFailures.flush(), deliveryFailures.flush()]))
  }
  for (const site of sites) expect(await rowsOf(site)).toEqual([{ kind: 'mailFailed', count: 30, code: null }])
})

test('what could not be written waits, and is written when the process ends', async () => {
  const site = await t.site()
  const pool = new Pool({ connectionString: t.deps.config.databaseUrl, max: 1 })
  const deliveryFailures = startDeliveryFailures(pool, t.deps.log)
  await t.deps.pool.query('ALTER TABLE trouble RENAME TO trouble_away')
  deliveryFailures.note(site.id, 'wechat', 40_001)
  await expect(deliveryFailures.flush()).rejects.toThrow('trouble')
  deliveryFailures.note(site.id, 'wechat', 40_164)
  await expect(deliveryFailures.flush()).rejects.toThrow('trouble')
  await t.deps.pool.query('ALTER TABLE trouble_away RENAME TO trouble')
  await deliveryFailures.close()
  await pool.end()
  expect(await rowsOf(site)).toEqual([{ kind: 'wechat', count: 2, code: 40_164 }])
})

test('upkeep drops what is older than 30 days', async () => {
  const site = await t.site()
  await t.deps.pool.query(
    `INSERT INTO trouble SELECT $1, 'smsFailed', now() - make_interval(days => n), n, now(), NULL FROM unnest(ARRAY[29, 31]) n`,
    [site.id],
  )
  await upkeep(t.deps.pool).run({})
  expect(await rowsOf(site)).toMatchObject([{ count: 29 }])
})
