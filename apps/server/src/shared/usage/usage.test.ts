import { randomUUID } from 'node:crypto'
import { meta } from '@hufu/contract/site'
import { pageVisit } from '@hufu/contract/statistics'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, times } from '../../../test/test-app.ts'
import { putUsage, readUsage } from '../../../test/usage-rows.ts'
import { newUserId } from '../../platform/ids.ts'
import { writeUsage } from './usage.store.ts'
import { startUsage } from './usage.ts'
import { countsIn, newBatch } from './usage-batch.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

test('calls and page visits are counted per site; the beacon and probes are no calls', async () => {
  const one = await t.site()
  const two = await t.site()
  for (let call = 0; call < 3; call++) await t.call(one, meta)
  await t.call(one, pageVisit)
  await t.call(two, meta)
  await t.app.inject({ url: '/healthz', headers: { host: one.host } })
  expect(await readUsage(t, one)).toMatchObject({ pages: 1, calls: 3 })
  expect(await readUsage(t, two)).toMatchObject({ pages: 0, calls: 1 })
})

test('two processes add up, and flushes at the same time lose nothing', async () => {
  const other = await startTestApp({ HUFU_DATABASE_URL: t.deps.config.databaseUrl })
  const site = await t.site()
  const both = newUserId()
  await other.deps.sites.refresh()
  for (let round = 0; round < 20; round++) {
    for (const { deps } of [t, other]) {
      deps.usage.countAccess(site.id, both)
      deps.usage.countAuthorized(site.id, newUserId())
    }
    await Promise.all([t.call(site, meta), other.call(site, meta)])
    await Promise.all([t.deps.usage.flush(), t.deps.usage.flush(), other.deps.usage.flush()])
  }
  const counted = { pages: 0, calls: 40, authorizations: 40, authorizedUsers: 40, accessedUsers: 1 }
  expect(await readUsage(t, site)).toMatchObject(counted)
  await other.close()
})

test('two processes that write the hours of many sites at once never wait in a circle', async () => {
  const sites = await Promise.all(times(30, () => t.site()))
  const backwards = sites.toReversed()
  const write = (order: typeof sites) => {
    const batch = newBatch(1)
    for (const { id } of order) countsIn(batch, id, Date.now()).counters.calls++
    return writeUsage(t.deps.pool, randomUUID(), batch)
  }
  for (let round = 0; round < 20; round++) await Promise.all([write(sites), write(backwards), write(sites)])
  for (const site of sites) expect((await readUsage(t, site)).calls).toBe(60)
})

test('a flush repeated after a lost answer adds nothing, also when both run at once', async () => {
  const site = await t.site()
  const process = randomUUID()
  const batch = newBatch(7)
  const { counters, crowds } = countsIn(batch, site.id, Date.now())
  counters.calls = 5
  crowds.accessed.add(newUserId())
  await Promise.all(times(5, () => writeUsage(t.deps.pool, process, batch)))
  crowds.accessed.add(newUserId())
  await writeUsage(t.deps.pool, process, batch)
  expect(await readUsage(t, site)).toMatchObject({ calls: 5, accessedUsers: 1 })
})

test('a user is counted once however often and in however many hours they come', async () => {
  const site = await t.site()
  const user = newUserId()
  for (const hoursAgo of [0, 1, 2, 30, 700])
    await putUsage(t, site, Date.now() - hoursAgo * 3_600_000, { accessed: [user] })
  for (let call = 0; call < 10; call++) t.deps.usage.countAccess(site.id, user)
  expect((await readUsage(t, site)).accessedUsers).toBe(1)
})

test('while nothing can be written the number of waiting users is bounded, with one line in the log; counters go on', async () => {
  const site = await t.site()
  const before = t.log.length
  const usage = startUsage(t.deps.pool, t.deps.clock, t.deps.log)
  for (let user = 0; user < 200_500; user++) {
    usage.countAccess(site.id, newUserId())
    usage.countCall(site.id)
  }
  await usage.close()
  const { calls, accessedUsers } = await readUsage(t, site)
  expect(calls).toBe(200_500)
  expect(Math.abs(accessedUsers - 200_000) / 200_000).toBeLessThan(0.03)
  expect(t.log.slice(before).filter((line) => line.includes('waits too long'))).toHaveLength(1)
})
