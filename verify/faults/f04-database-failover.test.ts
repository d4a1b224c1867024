import { setTimeout as sleep } from 'node:timers/promises'
import { sendFeedback } from '@hufu/contract/feedback'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { leeway } from '../../tools/checks/time-limit.ts'
import { hufu, type Running, runHufu } from '../../tools/run/product.ts'
import { figure } from '../harness/assert-figure.ts'
import { shedding } from '../harness/environment.ts'
import { few, type User } from '../harness/harness.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'
import { seeded } from '../harness/walks.ts'
import { type Customer, customers, keepChanging, lostChanges, wrongNotices } from './failover-changes.ts'
import { type FailoverCluster, startFailoverCluster } from './failover-cluster.ts'
import { beginTalks, disagreements, keepTalking, summaryOf } from './message-ledger.ts'

let cluster: FailoverCluster
let product: OwnProduct
let worker: Running
let t: OwnProduct['t']
/** Ledgers of messages know everything on their site, so those who only try whether writing works have another. */
let other: TestSite
beforeAll(async () => {
  cluster = await startFailoverCluster()
  const HUFU_DATABASE_URL = cluster.url('hufu')
  await hufu({ ...inject('environment'), HUFU_DATABASE_URL }, ['migrate'])
  product = await startOwnProduct({ ...shedding, HUFU_DATABASE_URL })
  ;({ t } = product)
  worker = runHufu('work', { ...product.environment, HUFU_LOG_LEVEL: 'silent' })
  other = await t.codeSite()
}, 180_000)
afterAll(async () => {
  await product?.stop()
  await worker?.stop()
  await cluster?.stop()
})

const pick = seeded('F04')
const rounds = few(8, 1)

/** From now until a message that is new is acknowledged, in seconds. */
async function writesAgain(user: User): Promise<number> {
  const started = performance.now()
  const write = () => user.call(sendFeedback, { message: '还在吗' }).catch(() => undefined)
  while ((await write())?.status !== 200) await sleep(20)
  return (performance.now() - started) / 1_000
}

const witness = async () => await t.session(other, (await t.user(other, { password: undefined })).id)

/** The first primary dies, its standby takes its place, and it comes back as the standby of that one; and so on. */
async function keepKilling(): Promise<number[]> {
  const away: number[] = []
  for (let round = 0; round < rounds; round++) {
    await cluster.whole()
    const user = await witness()
    await sleep(1_000 + pick(1_000))
    const primary = await cluster.primary()
    await primary.kill()
    away.push(await writesAgain(user))
    await sleep(1_000)
  }
  return away
}

/** What a worker held whose connection broke is given back when its time is over; here that time is over at once. */
async function allJobsDone(): Promise<void> {
  const left = async () => {
    await t.deps.pool.query("UPDATE pgboss.job SET started_on = started_on - interval '1 hour' WHERE state = 'active'")
    await t.deps.pool.query("UPDATE pgboss.job SET start_after = now() WHERE state = 'retry'")
    const { rows } = await t.deps.pool.query(
      "SELECT count(*)::int AS n FROM pgboss.job WHERE name = 'mail-notice' AND state IN ('created', 'retry', 'active')",
    )
    return rows[0].n
  }
  await expect.poll(left, { timeout: 90_000, interval: 1_000 }).toBe(0)
}

const ofAll = async (users: Customer[], compare: typeof lostChanges) =>
  (await Promise.all(users.map((one) => compare(t, other, one)))).flat()

test('F04 a primary that dies loses nothing acknowledged, doubles nothing, and its standby accepts writes soon', async () => {
  const site = await t.codeSite()
  const users = await customers(t, other, 8)
  const talkers = await beginTalks(t, site, { users: 3 })
  const changes = keepChanging(t, other, users, few(1_000, 200))
  const messages = keepTalking(talkers, { pace: 100 })
  const away = await keepKilling()
  await Promise.all([changes.stop(), messages.stop()])
  await allJobsDone()
  const asked = users.flatMap(({ ledger }) => ledger)
  const lost = await ofAll(users, lostChanges)
  const notices = await ofAll(users, wrongNotices)
  const wrong = await disagreements(t, site, talkers)
  console.log(
    `F04: ${rounds} primaries killed, writing again after ${away.map((one) => one.toFixed(1))} s: ${summaryOf(messages.counts)}; ${asked.length} changes asked for, ${asked.filter((one) => one.acknowledged).length} acknowledged`,
    [...lost, ...notices, ...wrong, ...users.flatMap(({ signedOut }) => signedOut)],
  )
  figure('acknowledged messages lost or doubled', wrong.length, ['=', 0])
  figure('acknowledged changes lost or doubled', lost.length, ['=', 0])
  figure('notices lost or doubled', notices.length, ['=', 0])
  figure('users signed out', users.filter(({ signedOut }) => signedOut.length > 0).length, ['=', 0])
  figure('longest until writing again', Math.max(...away), ['<=', 10 * leeway], 's')
  figure('longest wait for an acknowledgement', messages.counts.longest / 1_000, ['<=', 10 * leeway], 's')
  expect(Object.keys(messages.counts.refused).filter((status) => status !== '503')).toEqual([])
  expect(messages.counts.again, 'something failed on the way').toBeGreaterThan(0)
}, 900_000)
