import { checkScanRequest, createScanRequest, processScanRequest } from '@hufu/contract/scan-login'
import { meta } from '@hufu/contract/site'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stores, startStores } from '../../../tools/stores/stores.ts'
import { createDatabase, startTestApp, type TestApp, type TestSite } from './test-app.ts'

let stores: Stores
let t: TestApp
let site: TestSite
let databaseUrl: string
beforeAll(async () => {
  stores = await startStores()
  databaseUrl = await createDatabase(stores.postgres.url)
  t = await startTestApp({ HUFU_DATABASE_URL: databaseUrl, HUFU_REDIS_URL: stores.redis.url })
  site = await t.codeSite({ name: '青屿生活' })
})
afterAll(async () => {
  await t.close()
  await stores.stop()
})

test('D046 the meta outlives its stores; a process without a copy answers a bare 503 and recovers by itself', async () => {
  await Promise.all([stores.postgres.kill(), stores.redis.kill()])
  const answer = await t.call(site, meta)
  expect(answer).toMatchObject({ status: 200, data: { name: '青屿生活' } })

  const newborn = await startTestApp({ HUFU_DATABASE_URL: databaseUrl, HUFU_REDIS_URL: stores.redis.url })
  const bare = await newborn.app.inject({ method: 'POST', url: meta.path, headers: { host: site.host } })
  expect(bare.statusCode).toBe(503)
  expect(bare.body).toBe('')
  expect((await newborn.app.inject('/healthz')).statusCode).toBe(200)
  expect((await newborn.app.inject('/readyz')).statusCode).toBe(503)

  await Promise.all([stores.postgres.start(), stores.redis.start()])
  await expect.poll(async () => (await newborn.call(site, meta)).data?.name, { timeout: 10_000 }).toBe('青屿生活')
  expect((await newborn.app.inject('/readyz')).json()).toEqual({ status: 'ready', database: 'up' })
  await newborn.close()
})

test('without Redis nobody is signed in by scan: every step says 服务繁忙, also when Redis only hangs', async () => {
  const person = await t.signIn(site)
  const desk = t.browser(site)
  const { data } = await desk.call(createScanRequest)
  if (!data) throw new Error('no request was made')
  const { origin: _origin, ...request } = data
  const steps = [
    () => desk.call(createScanRequest),
    () => desk.call(checkScanRequest, request),
    () => person.call(processScanRequest, { ...request, status: 0 }),
  ]
  expect((await person.call(processScanRequest, { ...request, status: 0 })).status).toBe(200)
  expect((await person.call(processScanRequest, { ...request, status: 1 })).status).toBe(200)

  await t.deps.cache.call('CLIENT', 'PAUSE', '2500', 'ALL')
  const asked = performance.now()
  expect(await desk.call(checkScanRequest, request)).toMatchObject({ status: 503, code: 'SERVICE_BUSY' })
  expect(performance.now() - asked).toBeLessThan(2_000)
  await expect.poll(async () => (await desk.call(createScanRequest)).status, { timeout: 10_000 }).toBe(200)

  await stores.redis.kill()
  for (const step of steps) expect(await step()).toMatchObject({ status: 503, code: 'SERVICE_BUSY' })
  expect(desk.cookies.has('__Host-hufu')).toBe(false)
  await stores.redis.start()
  await expect.poll(async () => (await desk.call(createScanRequest)).status, { timeout: 10_000 }).toBe(200)
})

test('usage counted while PostgreSQL is away is written when it is back, once', async () => {
  await t.deps.usage.flush()
  const counted = async () => {
    const { rows } = await t.deps.pool.query(
      'SELECT coalesce(sum(api_access), 0)::int AS calls FROM usage_hour WHERE site_id = $1',
      [site.id],
    )
    return rows[0].calls as number
  }
  const before = await counted()
  await stores.postgres.kill()
  for (let call = 0; call < 7; call++) await t.call(site, meta)
  await expect(t.deps.usage.flush()).rejects.toThrow()
  await stores.postgres.start()
  for (let call = 0; call < 3; call++) await t.call(site, meta)
  await expect.poll(() => t.deps.usage.flush().then(counted), { timeout: 10_000 }).toBe(before + 10)
  await t.deps.usage.flush()
  expect(await counted()).toBe(before + 10)
})
