import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { leeway } from '../../tools/checks/time-limit.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { type RedisStore, startRedisCluster } from '../../tools/stores/redis.ts'
import { figure } from '../harness/assert-figure.ts'
import { shedding } from '../harness/environment.ts'
import { few } from '../harness/harness.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'
import { openStream, type Stream } from '../harness/stream.ts'
import { loseOne } from './cluster-loss.ts'
import { beginTalks, disagreements, keepTalking, operatorOf, summaryOf } from './message-ledger.ts'

/** Three primaries with a replica each, a database and two processes of its own. */
let folder: string
let cluster: RedisStore
let product: OwnProduct
let apis: OwnProduct['apis']
let t: OwnProduct['t']
let site: TestSite
beforeAll(async () => {
  folder = makeTemporaryFolder('f03')
  cluster = await startRedisCluster(folder)
  product = await startOwnProduct({ ...shedding, HUFU_REDIS_URL: cluster.url })
  ;({ apis, t } = product)
  site = await t.codeSite()
})
afterAll(async () => {
  await product.stop()
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** The longest time in which a stream received nothing although all users write. */
function watch(streams: Stream[]) {
  let silent = 0
  const last = streams.map(({ received }) => ({ count: received.length, at: performance.now() }))
  const timer = setInterval(() => {
    for (const [index, { received }] of streams.entries()) {
      const known = last[index]
      if (!known) continue
      silent = Math.max(silent, performance.now() - known.at)
      if (received.length > known.count) last[index] = { count: received.length, at: performance.now() }
    }
  }, 20)
  return {
    stop() {
      clearInterval(timer)
      return silent
    },
  }
}

test('F03 a primary of the cluster that is killed loses and doubles no message, and streams receive again', async () => {
  const talkers = await beginTalks(t, site, { users: 6 })
  const operator = await operatorOf(t, site)
  const streams = await Promise.all(apis.map(({ url }) => openStream(site, operator, url)))
  const ledger = keepTalking(talkers, { patience: 5_000 })
  await expect.poll(() => streams.every(({ received }) => received.length > 0), { timeout: 10_000 }).toBe(true)
  const watching = watch(streams)
  const rounds = few(6, 1)
  for (let round = 0; round < rounds; round++) {
    await loseOne(cluster, round)
    await sleep(500)
  }
  await ledger.stop()
  const silent = watching.stop()
  const wrong = await disagreements(t, site, talkers)
  const ended = streams.filter(({ endedAt }) => endedAt !== undefined).length
  for (const stream of streams) stream.close()
  console.log(
    `F03: ${rounds} primaries killed: ${summaryOf(ledger.counts)}; ${wrong.length} wrong; streams without events for ${silent.toFixed(0)} ms at most, ${ended} ended`,
  )
  figure('messages lost or doubled, primaries killed', wrong.length, ['=', 0])
  figure('streams ended', ended, ['=', 0])
  figure('longest time without an event on a stream', silent / 1_000, ['<=', 10 * leeway], 's')
  expect(wrong).toEqual([])
  expect(Object.keys(ledger.counts.refused).filter((status) => status !== '503')).toEqual([])
})

test('F03 with all of Redis unavailable messages are refused and sent again, none is lost or doubled, and streams receive again', async () => {
  const own = await t.codeSite()
  const talkers = await beginTalks(t, own, { users: 4 })
  const operator = await operatorOf(t, own)
  const streams = await Promise.all(apis.map(({ url }) => openStream(own, operator, url)))
  const ledger = keepTalking(talkers, { patience: 5_000 })
  await expect.poll(() => ledger.counts.acknowledged, { timeout: 10_000 }).toBeGreaterThan(50)
  await cluster.kill()
  await sleep(4_000)
  await cluster.start()
  const started = performance.now()
  const refusedUntil = ledger.counts.acknowledged
  await expect.poll(() => ledger.counts.acknowledged - refusedUntil, { timeout: 20_000 }).toBeGreaterThan(50)
  const sending = performance.now() - started
  const before = streams.map(({ received }) => received.length)
  await expect
    .poll(() => streams.every(({ received }, index) => received.length > (before[index] ?? 0)), { timeout: 10_000 })
    .toBe(true)
  const receiving = performance.now() - started
  await ledger.stop()
  for (const stream of streams) stream.close()
  const wrong = await disagreements(t, own, talkers)
  console.log(
    `F03: all of Redis away for 4 s: ${summaryOf(ledger.counts)}; ${wrong.length} wrong; sending again after ${sending.toFixed(0)} ms, streams receive after ${receiving.toFixed(0)} ms`,
  )
  figure('messages lost or doubled, all of Redis unavailable', wrong.length, ['=', 0])
  expect(wrong).toEqual([])
})
