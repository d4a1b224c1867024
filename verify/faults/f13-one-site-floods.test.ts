import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, inject, test } from 'vitest'
import { times } from '../../apps/server/test/test-app.ts'
import { quietRounds } from '../../tools/run/processors.ts'
import { figure } from '../harness/assert-figure.ts'
import { shedding, startApi } from '../harness/environment.ts'
import { few } from '../harness/harness.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'
import { median } from '../harness/timing.ts'
import { mixedCalls } from './load/mixed-calls.ts'
import type { Loaded, Plan } from './load/plan.ts'
import { runLoad } from './load/run-load.ts'

const rounds = few(7, 2)
/** Long enough for a 99th percentile that isn't the one slowest call. */
const seconds = 5
/** Of one site, a second, in each of the two processes. */
const limit = 50
const othersRate = 120
/** So many that each stays far below its own limit, also where the machine stood still and what was due meanwhile comes at once. */
const otherSites = 8

let product: OwnProduct
let others: Omit<Plan, 'seconds'>
let flood: Omit<Plan, 'seconds'>
beforeAll(async () => {
  product = await startOwnProduct(shedding)
  const { t, apis, environment } = product
  const [flooding, ...rest] = await Promise.all(times(1 + otherSites, () => t.codeSite()))
  if (!flooding) throw new Error('no site')
  const urls = apis.map(({ url }) => url)
  const calls = (await Promise.all(rest.map((site) => mixedCalls(t, site, { users: 10 })))).flat()
  // One call in a hundred hashes a password for many times as long as all others take: it would be the 99th percentile or not.
  const kinds = calls.filter(({ name }) => name !== 'sign in')
  others = { urls, kinds, rate: othersRate, connections: 100, patience: 5_000 }
  const rate = 10 * limit * apis.length
  flood = { urls, kinds: await mixedCalls(t, flooding, { users: 20 }), rate, connections: 100, patience: 5_000 }
  // Not before: ten users of a site who are made at once would be beyond its limit.
  const limited = { ...environment, HUFU_SITE_CALLS: String(limit) }
  await Promise.all(
    apis.map(async (api, at) => {
      await api.stop()
      apis[at] = await startApi(limited, inject('logFolder'), Number(new URL(api.url).port))
    }),
  )
}, 120_000)
afterAll(() => product.stop())

async function round() {
  const calm = await runLoad({ ...others, seconds })
  // Another site always calls: a site that is alone has no limit.
  const trickle = runLoad({ ...others, rate: 5, seconds: seconds + 3 })
  await sleep(1_000)
  const flooding = runLoad({ ...flood, seconds: seconds + 2 })
  await sleep(1_500)
  const flooded = await runLoad({ ...others, seconds })
  await trickle
  return resultOf(calm, flooded, await flooding)
}

function resultOf(calm: Loaded, flooded: Loaded, flooding: Loaded) {
  const refused = flooded.refused.count + flooded.failed + calm.refused.count + calm.failed
  console.log(
    `F13: others' median ${calm.ok.p50.toFixed(1)} → ${flooded.ok.p50.toFixed(1)} ms, p99 ${calm.ok.p99.toFixed(1)} → ${flooded.ok.p99.toFixed(1)} ms, ${refused} refused; flood: ${flooding.offered} calls, ${flooding.ok.count} well, ${flooding.refused.count} busy after ${flooding.refused.p50.toFixed(1)} ms, ${flooding.failed} neither`,
  )
  return {
    median: flooded.ok.p50 / calm.ok.p50,
    p99: flooded.ok.p99 / calm.ok.p99,
    refused,
    share: flooding.ok.count / flooding.seconds / (limit * product.apis.length),
  }
}

test('F13 a site at ten times its limit leaves the other sites as quick as they were', async () => {
  // Processes that have just begun are slow: the first round before the flood would make the flood look harmless.
  await runLoad({ ...others, seconds: 10 })
  const results = await quietRounds(rounds, round)
  figure("others' median, in the flood against before", median(results.map((each) => each.median)), ['<=', 1.3])
  figure("others' 99th percentile, in the flood against before", median(results.map((each) => each.p99)), ['<=', 2])
  figure('calls of others that failed', Math.max(...results.map((each) => each.refused)), ['=', 0])
  figure('served of the flood against its limit', median(results.map(({ share }) => share)), ['<=', 1.3])
}, 420_000)
