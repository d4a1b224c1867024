import { meta } from '@hufu/contract/site'
import { pageVisit } from '@hufu/contract/statistics'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, type TestSite } from '../../test/test-app.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

async function usage(site: TestSite) {
  await t.deps.usage.flush()
  const { rows } = await t.deps.pool.query(
    'SELECT sum(page_access)::int AS pages, sum(api_access)::int AS calls FROM usage_hour WHERE site_id = $1',
    [site.id],
  )
  return rows[0]
}

test('calls and page visits are counted per site; the beacon and probes are no calls', async () => {
  const one = await t.site()
  const two = await t.site()
  for (let call = 0; call < 3; call++) await t.call(one, meta)
  await t.call(one, pageVisit)
  await t.call(two, meta)
  await t.app.inject({ url: '/healthz', headers: { host: one.host } })
  expect(await usage(one)).toEqual({ pages: 1, calls: 3 })
  expect(await usage(two)).toEqual({ pages: 0, calls: 1 })
})

test('two processes add up, and flushes at the same time lose nothing', async () => {
  const other = await startTestApp({ HUFU_DATABASE_URL: t.deps.config.databaseUrl })
  const site = await t.site()
  await other.deps.sites.refresh()
  for (let round = 0; round < 20; round++) {
    await Promise.all([t.call(site, meta), other.call(site, meta)])
    await Promise.all([t.deps.usage.flush(), t.deps.usage.flush(), other.deps.usage.flush()])
  }
  expect(await usage(site)).toEqual({ pages: 0, calls: 40 })
  await other.close()
})
