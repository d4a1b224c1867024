import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, inject, test } from 'vitest'
import { hufu } from '../../tools/run/product.ts'
import { figure } from '../harness/assert-figure.ts'
import { shedding } from '../harness/environment.ts'
import { short } from '../harness/harness.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'
import { type FailoverCluster, startFailoverCluster } from './failover-cluster.ts'
import { beginTalks, disagreements, keepTalking, summaryOf } from './message-ledger.ts'

let cluster: FailoverCluster
let product: OwnProduct
beforeAll(async () => {
  if (short) return
  cluster = await startFailoverCluster(3)
  await cluster.whole()
  const HUFU_DATABASE_URL = cluster.url('hufu')
  await hufu({ ...inject('environment'), HUFU_DATABASE_URL }, ['migrate'])
  product = await startOwnProduct({ ...shedding, HUFU_DATABASE_URL })
}, 240_000)
afterAll(async () => {
  await product?.stop()
  await cluster?.stop()
})

const stalled = 6_000
const rounds = 3

test.skipIf(short)(
  'F04 while no standby follows nothing is acknowledged, and a primary that dies then loses nothing',
  async () => {
    const { t } = product
    const site = await t.codeSite()
    const talkers = await beginTalks(t, site, { users: 3 })
    const messages = keepTalking(talkers, { pace: 100 })
    let alone = 0
    let still = 0
    for (let round = 0; round < rounds; round++) {
      await cluster.whole()
      await sleep(1_000)
      const primary = await cluster.primary()
      const standbys = cluster.nodes.filter((node) => node !== primary)
      standbys[0]?.signal('SIGSTOP')
      const before = messages.counts.acknowledged
      await sleep(stalled)
      still += messages.counts.acknowledged - before
      standbys[1]?.signal('SIGSTOP')
      // What was on its way is acknowledged yet.
      await sleep(500)
      const last = messages.counts.acknowledged
      await sleep(stalled)
      alone += messages.counts.acknowledged - last
      await primary.kill()
      for (const standby of standbys) standby.signal('SIGCONT')
    }
    await cluster.whole()
    await messages.stop()
    const wrong = await disagreements(t, site, talkers)
    console.log(
      `F04: no replica follows, ${rounds} times: ${summaryOf(messages.counts)}; ${still} with one standby`,
      wrong.slice(0, 20),
    )
    figure('messages acknowledged while no standby followed', alone, ['=', 0])
    figure('messages acknowledged while one of two standbys followed', still, ['>=', 1])
    figure('acknowledged messages lost or doubled, no replica followed', wrong.length, ['=', 0])
  },
  900_000,
)
