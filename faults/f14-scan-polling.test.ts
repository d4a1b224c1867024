import { setTimeout as sleep } from 'node:timers/promises'
import { listDevices } from '@hufu/contract/devices'
import { userInfo } from '@hufu/contract/profile'
import { checkScanRequest } from '@hufu/contract/scan-login'
import { meta } from '@hufu/contract/site'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { TestSite } from '../apps/server/test/test-app.ts'
import { type Api, startApi } from '../attacks/ground.ts'
import { few, type Harness, openHarness, type Person } from '../attacks/harness.ts'
import { showCode, type Waiting } from '../attacks/scan.ts'
import { median, percentile } from '../attacks/timing.ts'
import { load } from '../bench/load.ts'
import { flood } from './poll-flood.ts'

const rounds = few(7, 3)
const calmMs = 2_000
const floodMs = 6_000
/** Calls of everybody else, due by the clock. */
const othersPerSecond = 100
const pages = 2_000

let t: Harness
let site: TestSite
let api: Api
let person: Person
let waiting: Waiting
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  api = await startApi(inject('environment'), inject('logFolder'))
  person = await t.session(site, (await t.person(site)).id, { urls: [api.url] })
  waiting = await showCode(t, site, { urls: [api.url] })
  await t.deps.cache.expire(`{scan:${site.id}:${waiting.request.id}}`, 600)
})
afterAll(async () => {
  await api.stop()
  await t.close()
})

const body = () => JSON.stringify(waiting.request)
const headers = () => ({
  cookie: `${waiting.cookie}=${waiting.browser.cookies.get(waiting.cookie)}`,
  'sec-fetch-site': 'same-origin',
})

const target = () => ({
  url: api.url + checkScanRequest.path,
  hosts: [site.host],
  headers: headers(),
  body: body(),
})

/** Checks a second that the process answers when it has nothing else to do. */
async function capacity(): Promise<number> {
  await load(target(), 1)
  const { callsPerSecond, errors } = await load(target(), 3)
  expect(errors).toBe(0)
  return callsPerSecond
}

interface Others {
  /** The part of all calls that succeeded within a second. */
  goodput: number
  ms: number[]
}

/** What everybody else meets: each call leaves when it is due, whatever has become of those before. */
async function others(forMs: number): Promise<Others> {
  const calls = [() => person.call(userInfo), () => person.call(meta), () => person.call(listDevices, {})]
  const started = performance.now()
  const under: Promise<number | undefined>[] = []
  for (let due = 0; due < (forMs / 1_000) * othersPerSecond; due++) {
    await sleep(Math.max(0, started + (due * 1_000) / othersPerSecond - performance.now()))
    const call = calls[due % calls.length]
    under.push(call?.().then(({ status, ms }) => (status === 200 ? ms : undefined)) ?? Promise.resolve(undefined))
  }
  const ms = (await Promise.all(under)).filter((each): each is number => each !== undefined)
  return { goodput: ms.filter((each) => each <= 1_000).length / under.length, ms }
}

/** Everybody else without the flood and in it. */
async function round(most: number) {
  const calm = await others(calmMs)
  const polls = { url: target().url, headers: { Host: site.host, ...headers() }, body: body() }
  const flooding = flood({ ...polls, pages, rate: 3 * most, seconds: floodMs / 1_000 })
  // Until all pages are connected.
  await sleep(2_000)
  const flooded = await others(floodMs - 3_000)
  const { callsPerSecond, servedPerSecond } = await flooding
  await sleep(500)
  const ms = (value: number) => value.toFixed(1)
  const ratio = median(flooded.ms) / median(calm.ms)
  console.log(
    `F14: capacity ${Math.round(most)}/s, three times as much wanted: ${Math.round(callsPerSecond)}/s taken, ${Math.round(servedPerSecond)}/s served; others: goodput ${(flooded.goodput * 100).toFixed(1)} %, median ${ms(median(calm.ms))} → ${ms(median(flooded.ms))} ms (× ${ratio.toFixed(2)}), p99 ${ms(percentile(calm.ms, 0.99))} → ${ms(percentile(flooded.ms, 0.99))} ms`,
  )
  return { ratio, goodput: flooded.goodput, served: servedPerSecond / most }
}

test('F14 pages that poll at three times the capacity leave the other calls their place', async () => {
  const most = await capacity()
  await others(500)
  const results = []
  for (let count = 0; count < rounds; count++) results.push(await round(most))
  expect(median(results.map(({ goodput }) => goodput))).toBeGreaterThanOrEqual(0.9)
  expect(median(results.map(({ ratio }) => ratio))).toBeLessThanOrEqual(3)
  // No collapse: checks go on being answered, and everything is as before when the flood is over.
  expect(median(results.map(({ served }) => served))).toBeGreaterThan(0.1)
  expect((await others(1_000)).goodput).toBe(1)
})
