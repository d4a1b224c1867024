import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { figure } from '../harness/assert-figure.ts'
import { shedding } from '../harness/environment.ts'
import { few } from '../harness/harness.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'
import { mixedCalls } from './load/mixed-calls.ts'
import type { Loaded, Plan } from './load/plan.ts'
import { runLoad } from './load/run-load.ts'

const usualRate = 100
const lockSeconds = few(30, 8)
const afterwards = 8
/** Answered from the memory of the process. */
const storeless = ['meta', 'visit']

let product: OwnProduct
let plan: Omit<Plan, 'rate' | 'seconds'>
beforeAll(async () => {
  product = await startOwnProduct(shedding)
  const { t, apis } = product
  const kinds = await mixedCalls(t, await t.codeSite(), { users: few(400, 100) })
  plan = { urls: apis.map(({ url }) => url), kinds, connections: 500, patience: 10_000 }
})
afterAll(() => product.stop())

/** A long query of another client: every query on these tables waits for its end. */
async function holdTables(): Promise<{ release(): Promise<void> }> {
  const client = new Client({ connectionString: product.environment.HUFU_DATABASE_URL, application_name: 'long query' })
  await client.connect()
  await client.query('BEGIN')
  await client.query('LOCK TABLE users, session, feedback, security_log IN ACCESS EXCLUSIVE MODE')
  return { release: () => client.end() }
}

/** Connections of the product that wait for the tables, the most that were seen at a time. */
async function mostHanging(forMs: number): Promise<number> {
  const client = new Client({ connectionString: product.environment.HUFU_DATABASE_URL })
  await client.connect()
  let most = 0
  for (const until = performance.now() + forMs; performance.now() < until; await sleep(100)) {
    const { rows } = await client.query(
      "SELECT count(*)::int AS hanging FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database() AND application_name = 'hufu'",
    )
    most = Math.max(most, rows[0].hanging)
  }
  await client.end()
  return most
}

const answers = ({ kinds }: Loaded) =>
  Object.entries(kinds)
    .map(([name, { answers }]) => `${name} ${JSON.stringify(answers)}`)
    .join(', ')

/** Seconds until everything that was due was answered well. */
function clearAfter({ bySecond }: Loaded): number {
  // A call due at the turn of a second may be counted in either.
  return bySecond.findLastIndex((good) => good < usualRate - 1) + 1
}

test('F05 a long query that blocks every connection makes calls busy within a second, and leaves nothing behind', async () => {
  const before = await runLoad({ ...plan, rate: usualRate, seconds: 3 })
  expect(before.failed + before.refused.count).toBe(0)
  const tables = await holdTables()
  const hanging = mostHanging(lockSeconds * 1_000)
  const held = await runLoad({ ...plan, rate: 2 * usualRate, seconds: lockSeconds })
  await tables.release()
  const after = await runLoad({ ...plan, rate: usualRate, seconds: afterwards })
  console.log(`F05: held: ${held.ok.count} well, ${held.refused.count} busy; ${answers(held)}`)
  console.log(
    `F05: after: ${JSON.stringify(after.bySecond)}, longest ${after.ok.longest.toFixed(0)} ms; ${answers(after)}`,
  )
  figure('connections that hung at once', await hanging, ['>=', 20])
  figure('refusals among the calls', held.refused.count / held.offered, ['>=', 0.1])
  figure('longest until a refusal', held.refused.longest, ['<=', 1_000], 'ms')
  figure('longest until a good answer', held.ok.longest, ['<=', 1_000], 'ms')
  figure('answers that were neither', held.failed, ['=', 0])
  const lost = storeless.reduce((sum, name) => sum + (held.kinds[name]?.sent ?? 0) - (held.kinds[name]?.ok ?? 0), 0)
  figure('calls without a store that failed', lost, ['=', 0])
  figure('all well again after', clearAfter(after), ['<=', 5], 's')
})
