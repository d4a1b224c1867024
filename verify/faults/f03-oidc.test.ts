import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { leeway } from '../../tools/checks/time-limit.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { type RedisStore, startRedisCluster } from '../../tools/stores/redis.ts'
import { figure } from '../harness/assert-figure.ts'
import { few, type User } from '../harness/harness.ts'
import { authorize, exchange, introspect, refresh, userinfo, withClients } from '../harness/oidc.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'
import { median } from '../harness/timing.ts'

/** A Redis Cluster, a database and two processes of its own. */
let folder: string
let cluster: RedisStore
let product: OwnProduct
let t: OwnProduct['t']
let site: TestSite
let urls: string[]
beforeAll(async () => {
  folder = makeTemporaryFolder('f03-oidc')
  cluster = await startRedisCluster(folder)
  product = await startOwnProduct({ HUFU_REDIS_URL: cluster.url })
  ;({ t } = product)
  urls = product.apis.map(({ url }) => url)
  site = await t.codeSite(withClients())
})
afterAll(async () => {
  await product.stop()
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Step {
  name: string
  status: number
  ms: number
}

/** A whole sign-in of a signed-in user: each step with its answer and duration. */
async function walk(user: User): Promise<Step[]> {
  const steps: Step[] = []
  const timed = async <Value>(name: string, work: () => Promise<Value>, statusOf: (value: Value) => number) => {
    const from = performance.now()
    const value = await work()
    steps.push({ name, status: statusOf(value), ms: performance.now() - from })
    return value
  }
  const led = await timed(
    'authorize',
    () => authorize(user),
    ({ code }) => (code ? 200 : 503),
  )
  const first = await timed(
    'token',
    () => exchange(site, led, {}, { urls }),
    ({ status }) => status,
  )
  const next = await timed(
    'refresh',
    () => refresh(site, first.json.refresh_token, {}, { urls }),
    ({ status }) => status,
  )
  const token = next.json.access_token
  await timed(
    'userinfo',
    () => userinfo(site, token, urls),
    ({ status }) => status,
  )
  await timed(
    'introspect',
    () => introspect(site, token, { urls }),
    ({ status, json }) => (json.active ? status : 500),
  )
  return steps
}

async function walks(count: number): Promise<Step[]> {
  const steps: Step[] = []
  for (let index = 0; index < count; index++)
    steps.push(...(await walk(await t.session(site, (await t.user(site, { password: undefined })).id))))
  return steps
}

const names = ['authorize', 'token', 'refresh', 'userinfo', 'introspect']

function report(what: string, steps: Step[], limit: number): void {
  const failed = steps.filter(({ status }) => status !== 200)
  expect(failed).toEqual([])
  figure(`${what}: steps that failed of ${steps.length}`, failed.length, ['=', 0])
  for (const name of names) {
    const own = steps.filter((step) => step.name === name).map(({ ms }) => ms)
    figure(`${what}: ${name}, median`, median(own), ['<=', limit * leeway], 'ms')
    figure(`${what}: ${name}, longest`, Math.max(...own), ['<=', 3_000 * leeway], 'ms')
  }
}

test('F03 clients of OpenID Connect sign users in on a Redis Cluster, and go on without any Redis', async () => {
  await walks(2)
  report('on a Redis Cluster', await walks(few(20, 5)), 200)
  for (const node of cluster.nodes) await node.kill()
  report('without Redis', await walks(few(20, 5)), 500)
})
