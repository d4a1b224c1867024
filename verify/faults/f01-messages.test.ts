import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Api, startApi } from '../harness/environment.ts'
import { few } from '../harness/harness.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'
import { seeded } from '../harness/walks.ts'
import { beginTalks, disagreements, keepTalking, summaryOf } from './message-ledger.ts'

let product: OwnProduct
let environment: OwnProduct['environment']
let apis: OwnProduct['apis']
let t: OwnProduct['t']
let site: TestSite
beforeAll(async () => {
  product = await startOwnProduct()
  ;({ environment, apis, t } = product)
  site = await t.codeSite()
})
afterAll(() => product.stop())

const pick = seeded('F01')
const kills = few(50, 4)

async function keepKilling(): Promise<void> {
  for (let round = 0; round < kills; round++) {
    await sleep(150 + pick(250))
    const at = round % apis.length
    const api = apis[at] as Api
    await api.kill()
    apis[at] = await startApi(environment, inject('logFolder'), Number(new URL(api.url).port))
  }
}

test('F01 processes killed in the middle lose no acknowledged message, double none and keep the order', async () => {
  const talkers = await beginTalks(t, site, { users: 6 })
  const ledger = keepTalking(talkers)
  await keepKilling()
  await ledger.stop()
  const wrong = await disagreements(t, site, talkers)
  console.log(`F01: ${kills} kills: ${summaryOf(ledger.counts)}; ${wrong.length} wrong`)
  figure('messages lost, doubled or out of order', wrong.length, ['=', 0])
  expect(wrong).toEqual([])
  expect(ledger.counts.acknowledged).toBeGreaterThan(kills * 10)
  expect(ledger.counts.lost, 'answers were lost, or nothing was tried').toBeGreaterThan(0)
}, 480_000)
