import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { type TestSite, times } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { startApi } from '../harness/environment.ts'
import { few, type Harness, openHarness } from '../harness/harness.ts'
import { startRelay } from '../harness/relay.ts'
import { openLossyNetwork, refusedBecause } from './lossy-network.ts'
import { beginTalks, disagreements, keepTalking, summaryOf } from './message-ledger.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
})
afterAll(() => t.close())

const seconds = few(60, 8)
const users = 8

test('F10 with five of a hundred packets lost each way no message is lost or doubled', async (context) => {
  const refused = refusedBecause()
  if (refused) return context.skip(`this kernel allows no network namespace: ${refused}`)
  const network = openLossyNetwork(0.05)
  onTestFinished(() => network.stop())
  const environment = {
    ...inject('environment'),
    HUFU_HOST: '0.0.0.0',
    HUFU_TRUSTED_PROXIES: '127.0.0.0/8,198.18.0.0/15',
  }
  const api = await startApi(environment, inject('logFolder'))
  onTestFinished(() => api.stop())
  site = await t.codeSite()
  const url = await network.relay(Number(new URL(api.url).port))
  const talkers = await beginTalks(t, site, { users, browser: { urls: [url] } })
  // Impatient, so that much is sent again while the first of it is still on its way.
  const ledger = keepTalking(talkers, { patience: 300 })
  await sleep(seconds * 1_000)
  await ledger.stop()
  const dropped = network.dropped()
  const wrong = await disagreements(t, site, talkers)
  console.log(`F10: ${dropped} packets dropped: ${summaryOf(ledger.counts)}; ${wrong.length} wrong`)
  expect(dropped).toBeGreaterThan(seconds * 5)
  expect(ledger.counts.again).toBeGreaterThan(0)
  figure('messages lost or doubled, 5 % of packets lost', wrong.length, ['=', 0])
  expect(wrong).toEqual([])
})

test('F10 with 200 ms of delay, partitions and broken connections no message is lost or doubled', async () => {
  site = await t.codeSite()
  const relays = await Promise.all(
    inject('apiUrls').map((url) => startRelay({ host: '127.0.0.1', port: Number(new URL(url).port) })),
  )
  onTestFinished(async () => void (await Promise.all(relays.map((relay) => relay.stop()))))
  const urls = relays.map(({ port }) => `http://127.0.0.1:${port}`)
  const talkers = await beginTalks(t, site, { users, browser: { urls } })
  for (const relay of relays) relay.delay = 200
  // Shorter than there and back: most is sent again before its answer can be there.
  const ledger = keepTalking(talkers, { patience: 450 })
  const partitions = few(12, 3)
  for (const turn of times(partitions, (index) => index)) {
    await sleep(2_000)
    const some = turn % 3 === 2 ? relays : relays.slice(turn % 2, (turn % 2) + 1)
    for (const relay of some) relay.partitioned = true
    await sleep(1_500)
    // Every other time what was on its way is lost with its connections; else it arrives late, after it was sent again.
    if (turn % 2 === 0) for (const relay of some) relay.cut()
    for (const relay of some) relay.partitioned = false
  }
  await ledger.stop()
  const wrong = await disagreements(t, site, talkers)
  console.log(`F10: 200 ms each way, ${partitions} partitions: ${summaryOf(ledger.counts)}; ${wrong.length} wrong`)
  expect(ledger.counts.again).toBeGreaterThan(partitions)
  figure('messages lost or doubled, 200 ms and partitions', wrong.length, ['=', 0])
  expect(wrong).toEqual([])
})
