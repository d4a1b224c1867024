import { setTimeout as sleep } from 'node:timers/promises'
import { listDevices } from '@hufu/contract/devices'
import type { Endpoint } from '@hufu/contract/endpoint'
import { userInfo } from '@hufu/contract/profile'
import { checkScanRequest } from '@hufu/contract/scan-login'
import { meta } from '@hufu/contract/site'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type TestSite, times } from '../../apps/server/test/test-app.ts'
import { quietRounds } from '../../tools/run/processors.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Api, shedding, startApi } from '../harness/environment.ts'
import { type Browser, few, type Harness, openHarness } from '../harness/harness.ts'
import { showCode } from '../harness/scan.ts'
import { median } from '../harness/timing.ts'
import { measureCapacity } from './load/capacity.ts'
import type { Kind, Loaded, Plan } from './load/plan.ts'
import { runLoad } from './load/run-load.ts'

const rounds = few(7, 3)
const calmSeconds = 2
const floodSeconds = few(5, 3)
/** Calls of other users; far below the capacity of the process. */
const othersPerSecond = 30
/** Pages that show a code. */
const pages = 50

let t: Harness
let site: TestSite
let api: Api
let polls: Omit<Plan, 'rate' | 'seconds'>
let others: Omit<Plan, 'rate' | 'seconds'>
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  api = await startApi({ ...inject('environment'), ...shedding }, inject('logFolder'))
  const urls = [api.url]
  const waiting = await Promise.all(times(pages, () => showCode(t, site, { urls })))
  for (const { request } of waiting) await t.deps.cache.expire(`{scan:${site.id}:${request.id}}`, 600)
  const checks = waiting.map(({ browser, request }) => callText(browser, checkScanRequest, request))
  polls = { urls, kinds: [{ name: 'check', weight: 1, requests: checks }], connections: 300, patience: 2_000 }
  const user = await t.session(site, (await t.user(site, { password: undefined })).id, { urls })
  const kinds: Kind[] = [userInfo, meta, listDevices].map((endpoint) => ({
    name: endpoint.path,
    weight: 1,
    requests: [callText(user, endpoint, {})],
  }))
  others = { urls, kinds, connections: 20, patience: 5_000 }
  // Compiled before it is measured. One process has a processor to itself, as what offers has: one that was held back by a
  // quota would run at full speed while it is calm and at a part of it in the flood.
  for (const plan of [polls, others]) await runLoad({ ...plan, rate: 200, seconds: few(5, 2) })
}, 120_000)
afterAll(async () => {
  await api?.stop()
  await t?.close()
})

function callText(browser: Browser, { path }: Endpoint, input: object): string {
  const body = JSON.stringify(input)
  const lines = [
    `POST ${path} HTTP/1.1`,
    `host: ${site.host}`,
    'sec-fetch-site: same-origin',
    'content-type: application/json',
    `x-forwarded-for: ${browser.address}`,
    `cookie: ${[...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

const askOthers = (seconds: number): Promise<Loaded> => runLoad({ ...others, rate: othersPerSecond, seconds })

/** The part of all calls that succeeded within a second. */
const goodputOf = ({ goodput }: Loaded) => goodput / othersPerSecond

/** Other users without and with the flood; all of them call at a fixed rate, whatever the responses are. */
async function round(most: number) {
  const calm = await askOthers(calmSeconds)
  const flooding = runLoad({ ...polls, rate: 3 * most, seconds: floodSeconds + 4 })
  // Until all pages are connected.
  await sleep(3_000)
  const flooded = await askOthers(floodSeconds)
  const flood = await flooding
  await sleep(500)
  const ratio = flooded.ok.p50 / calm.ok.p50
  console.log(
    `F14: capacity ${most.toFixed(0)}/s, ${(flood.offered / flood.seconds).toFixed(0)}/s offered (${flood.behind.toFixed(0)} ms behind), ${(flood.ok.count / flood.seconds).toFixed(0)}/s answered, ${flood.refused.count} refused; others: goodput ${(goodputOf(flooded) * 100).toFixed(1)} %, median ${calm.ok.p50.toFixed(1)} → ${flooded.ok.p50.toFixed(1)} ms (× ${ratio.toFixed(2)}), p99 ${calm.ok.p99.toFixed(1)} → ${flooded.ok.p99.toFixed(1)} ms`,
  )
  return { ratio, goodput: goodputOf(flooded), served: flood.ok.count / flood.seconds / most }
}

test('F14 pages that poll at three times the capacity leave capacity for other calls', async () => {
  const { perSecond } = await measureCapacity(polls, { from: few(200, 400), seconds: few(3, 1.5), growth: 1.4 })
  const results = await quietRounds(rounds, () => round(perSecond))
  const middle = (what: keyof (typeof results)[number]) => median(results.map((result) => result[what]))
  figure("others' goodput in the flood", middle('goodput'), ['>=', 0.9])
  figure("others' median, times as without it", middle('ratio'), ['<=', 3])
  figure('checks answered, of the capacity', middle('served'), ['>=', 0.1])
  expect(goodputOf(await askOthers(1)), 'all is as before when the flood is over').toBeGreaterThanOrEqual(0.97)
}, 420_000)
