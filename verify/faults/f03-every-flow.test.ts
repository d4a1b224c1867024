import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { type RedisStore, startRedisCluster } from '../../tools/stores/redis.ts'
import { figure } from '../harness/assert-figure.ts'
import { shop } from '../harness/authorizing.ts'
import { shedding } from '../harness/environment.ts'
import { few } from '../harness/harness.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'
import { emptyAll, loseOne, promoteOne } from './cluster-loss.ts'
import { keepFlowing, nothingYet } from './flows.ts'

/** Three primaries with a replica each, a database and two processes of its own. */
let folder: string
let cluster: RedisStore
let product: OwnProduct
let t: OwnProduct['t']
let site: TestSite
beforeAll(async () => {
  folder = makeTemporaryFolder('f03')
  cluster = await startRedisCluster(folder)
  product = await startOwnProduct({ ...shedding, HUFU_REDIS_URL: cluster.url })
  ;({ t } = product)
  site = await t.codeSite({ clients: [shop] })
})
afterAll(async () => {
  await product.stop()
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Texts that both gateways have taken so far. */
async function texted(): Promise<number> {
  const taken = [inject('aliyunUrl'), inject('tencentUrl')].map(async (url) => {
    const { data } = (await (await fetch(`${url}/control`)).json()) as { data: { received: number } }
    return data.received
  })
  return (await Promise.all(taken)).reduce((a, b) => a + b)
}

async function counted(): Promise<number> {
  const { rows } = await t.deps.pool.query('SELECT count(*)::int AS n FROM code_send WHERE site_id = $1', [site.id])
  return rows[0].n
}

test('F03 primaries killed, emptied and replaced under every flow: no user is signed out, nothing counts twice', async () => {
  const before = await texted()
  const flowed = nothingYet()
  const flowing = [await keepFlowing(t, site, flowed), await keepFlowing(t, site, flowed)]
  await sleep(1_000)
  for (let round = 0; round < few(5, 1); round++) {
    await loseOne(cluster, round)
    emptyAll(cluster)
    await sleep(500)
    await promoteOne(cluster, round)
    await sleep(500)
  }
  await Promise.all(flowing.map((each) => each.stop()))
  const uncounted = (await texted()) - before - (await counted())
  console.log(`F03: every flow: ${JSON.stringify(flowed)}`)
  figure('users signed out', flowed.signedOut, ['=', 0])
  figure('codes, tickets and step-ups used twice', flowed.usedTwice, ['=', 0])
  figure('numbers sent to twice in a minute', flowed.sentTwice, ['=', 0])
  figure('texts sent uncounted', Math.max(0, uncounted), ['=', 0])
  expect(flowed.strange).toEqual([])
  for (const name of ['look', 'code', 'password', 'scan', 'ticket', 'check'])
    expect(flowed.done[name], name).toBeGreaterThan(3)
})
