import { sendFeedback } from '@hufu/contract/feedback'
import { answering } from '@hufu/contract/feedback-desk'
import { addBackground, addLogo, openConfig, updateConfig } from '@hufu/contract/merchant-config'
import { checkScanRequest, createScanRequest, processScanRequest } from '@hufu/contract/scan-login'
import { meta } from '@hufu/contract/site'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Stores, startStores } from '../../../tools/stores/stores.ts'
import { approve, deviceClients, poll, refresh, waiting } from './device.ts'
import { newOperator } from './operator.ts'
import { look, plain, upload } from './pictures.ts'
import { createDatabase, startTestApp, type TestApp, type TestSite } from './test-app.ts'

let stores: Stores
let t: TestApp
let site: TestSite
let environment: Record<string, string>
beforeAll(async () => {
  stores = await startStores()
  const databaseUrl = await createDatabase(stores.postgres.url)
  environment = { HUFU_DATABASE_URL: databaseUrl, HUFU_REDIS_URL: stores.redis.url, HUFU_LOAD_SHEDDING: '1' }
  t = await startTestApp(environment)
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

  const newborn = await startTestApp(environment)
  const bare = await newborn.app.inject({ method: 'POST', url: meta.path, headers: { host: site.host } })
  expect(bare.statusCode).toBe(503)
  expect(bare.body).toBe('')
  expect((await newborn.app.inject('/healthz')).statusCode).toBe(200)
  expect((await newborn.app.inject('/readyz')).statusCode).toBe(503)

  await Promise.all([stores.postgres.start(), stores.redis.start()])
  await expect.poll(async () => (await newborn.call(site, meta)).data?.name, { timeout: 20_000 }).toBe('青屿生活')
  // Of the database it says what it saw within the last second.
  const ready = async () => (await newborn.app.inject('/readyz')).json()
  await expect.poll(ready, { timeout: 5_000 }).toEqual({ status: 'ready', database: 'up' })
  await newborn.close()
})

test('a brand keeps the pictures that this process has shown while both stores are away', async () => {
  const brand = await t.codeSite()
  const admin = await newOperator(t, brand, ['READ', 'WRITE', 'ADMIN'])
  const file = await plain(60, 40).png().toBuffer()
  const keep = async (by: typeof addLogo | typeof addBackground): Promise<string> =>
    (await upload(t, brand, admin, by, file)).data.path
  const [logoImage, bg, vbg] = [await keep(addLogo), await keep(addBackground), await keep(addBackground)]
  const { data } = await admin.call(openConfig, {})
  await admin.call(updateConfig, { config: { ...data?.config, logoImage, bg, vbg } })
  await t.deps.sites.refresh()
  const statuses = async (paths: string[]) =>
    await Promise.all(paths.map(async (path) => (await look(t, brand, t.browser(brand), path, {})).statusCode))
  expect(await statuses([logoImage, bg])).toEqual([200, 200])
  await Promise.all([stores.postgres.kill(), stores.redis.kill()])
  expect(await statuses([logoImage, bg, vbg])).toEqual([200, 200, 503])
  await Promise.all([stores.postgres.start(), stores.redis.start()])
  await expect.poll(() => statuses([vbg]), { timeout: 20_000 }).toEqual([200])
})

test('without Redis no scan signs in: every step says 服务繁忙, also when Redis only hangs', async () => {
  const user = await t.signIn(site)
  const desk = t.browser(site)
  const { data } = await desk.call(createScanRequest)
  if (!data) throw new Error('no request was made')
  const { origin: _origin, ...request } = data
  const steps = [
    () => desk.call(createScanRequest),
    () => desk.call(checkScanRequest, request),
    () => user.call(processScanRequest, { ...request, status: 0 }),
  ]
  expect((await user.call(processScanRequest, { ...request, status: 0 })).status).toBe(200)
  expect((await user.call(processScanRequest, { ...request, status: 1 })).status).toBe(200)

  // A call that waited for the end of the pause would be answered.
  await t.deps.cache.call('CLIENT', 'PAUSE', '5000', 'ALL')
  expect(await desk.call(checkScanRequest, request)).toMatchObject({ status: 503, code: 'SERVICE_BUSY' })
  await expect.poll(async () => (await desk.call(createScanRequest)).status, { timeout: 20_000 }).toBe(200)

  await stores.redis.kill()
  for (const step of steps) expect(await step()).toMatchObject({ status: 503, code: 'SERVICE_BUSY' })
  expect(desk.cookies.has('__Host-hufu')).toBe(false)
  await stores.redis.start()
  await expect.poll(async () => (await desk.call(createScanRequest)).status, { timeout: 20_000 }).toBe(200)
})

test('D312 without Redis a device polls, and gets the tokens that its user approved before', async () => {
  const at = await t.codeSite({ clients: deviceClients })
  const user = await t.signIn(at)
  const [idle, approved] = [await waiting(t, at), await waiting(t, at)]
  expect((await approve(user, approved)).status).toBe(200)
  await stores.redis.kill()
  expect((await poll(t, at, idle)).json.error).toBe('authorization_pending')
  const { status, json } = await poll(t, at, approved)
  expect(status).toBe(200)
  expect((await refresh(t, at, json.refresh_token)).status).toBe(200)
  // Guesses can't be counted, so nothing is approved.
  expect(await approve(user, idle)).toMatchObject({ status: 503, code: 'SERVICE_BUSY' })
  await stores.redis.start()
  await expect.poll(async () => (await approve(user, idle)).status, { timeout: 20_000 }).toBe(200)
})

test('without Redis no operator is shown as writing, nothing fails for it and no call waits long', async () => {
  const operator = await newOperator(t, site, ['READ', 'WRITE'])
  const colleague = await newOperator(t, site, ['READ', 'WRITE'])
  const id = (await (await t.signIn(site)).call(sendFeedback, { message: '杯子碎了' })).data?.id ?? ''
  await operator.call(answering, { id, writing: true })
  const asks = () => colleague.call(answering, { id, writing: true })
  expect((await asks()).data).toHaveLength(1)
  await t.deps.redis.call('CLIENT', 'PAUSE', '5000', 'ALL')
  expect(await asks()).toMatchObject({ status: 200, data: [] })
  await stores.redis.kill()
  expect(await asks()).toMatchObject({ status: 200, data: [] })
  await stores.redis.start()
  const together = async () => {
    await operator.call(answering, { id, writing: true })
    return (await asks()).data?.length
  }
  await expect.poll(together, { timeout: 20_000 }).toBe(1)
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
  await expect.poll(() => t.deps.usage.flush().then(counted), { timeout: 20_000 }).toBe(before + 10)
  await t.deps.usage.flush()
  expect(await counted()).toBe(before + 10)
})
