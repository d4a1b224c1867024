import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { userInfo } from '@hufu/contract/profile'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type TestSite, times } from '../../apps/server/test/test-app.ts'
import { boundToParent } from '../../tools/run/bound-to-parent.ts'
import { quietRounds } from '../../tools/run/processors.ts'
import type { BenchGround } from '../bench/bench-environment.ts'
import { startOther } from '../bench/other.ts'
import { figure } from '../harness/assert-figure.ts'
import { shedding } from '../harness/environment.ts'
import { few, type Harness, type User } from '../harness/harness.ts'
import { send } from '../harness/http.ts'
import { type OwnProduct, startOwnProduct } from '../harness/own-product.ts'
import { median, percentile } from '../harness/timing.ts'

const rounds = few(3, 1)
const floodMs = few(15_000, 6_000)
/** Callers, each of them every one and a half seconds: several times what both processes can hash. */
const width = 500
const limitMs = 100
/** Two seconds in the queue, and what the machine needs besides. */
const longestSeconds = 4

let product: OwnProduct
let t: Harness
let site: TestSite
let users: User[]
let bareUrl: string
const started: BenchGround['started'] = []
beforeAll(async () => {
  product = await startOwnProduct(shedding)
  t = product.t
  site = await t.codeSite()
  users = await Promise.all(times(4, () => t.signIn(site)))
  bareUrl = await startBare()
})
afterAll(async () => {
  await Promise.all(started.map((bare) => bare.stop()))
  await product.stop()
})

/** node:http that reads Redis once, and nothing besides: where that is slow in the flood, too, the machine is. */
async function startBare(): Promise<string> {
  const [redisUrl, key] = [inject('redisUrl'), `bare:${site.id}`]
  const redis = new Redis(redisUrl)
  await redis.set(key, '1')
  redis.disconnect()
  return await startOther({ started }, 'bare-redis.ts', { KEYS: key, HUFU_REDIS_URL: redisUrl })
}

interface Others {
  ms: number[]
  bareMs: number[]
  refused: number
}

async function askBoth(until: number): Promise<Others> {
  const others: Others = { ms: [], bareMs: [], refused: 0 }
  const asking = users.map(async (user) => {
    while (performance.now() < until) {
      const reply = await user.call(userInfo)
      if (reply.status !== 200) others.refused++
      others.ms.push(reply.ms)
      await sleep(10)
    }
  })
  const askingBare = users.map(async () => {
    while (performance.now() < until) {
      others.bareMs.push((await send(bareUrl, { path: '/' })).ms)
      await sleep(10)
    }
  })
  await Promise.all([...asking, ...askingBare])
  return others
}

interface Flood {
  answers: Record<string, number>
  count: number
  longest: number
}

/** Floods both processes from a process of its own. */
async function flood(): Promise<Flood> {
  const program = join(import.meta.dirname, 'password-flood.ts')
  const args = [program, site.host, String(floodMs), String(width), ...product.apis.map(({ url }) => url)]
  const { stdout } = await promisify(execFile)(...boundToParent(process.execPath, args))
  return JSON.parse(stdout) as Flood
}

const p99 = (ms: number[]) => percentile(ms, 0.99)

async function round() {
  const calm = await askBoth(performance.now() + 2_000)
  const flooding = flood()
  await sleep(1_500)
  const flooded = await askBoth(performance.now() + floodMs - 2_000)
  const { answers, count, longest } = await flooding
  const change = (of: (others: Others) => number) => `${of(calm).toFixed(1)} → ${of(flooded).toFixed(1)} ms`
  console.log(
    `F12: ${count} passwords in ${floodMs / 1_000} s ${JSON.stringify(answers)}, longest wait ${longest.toFixed(0)} ms; /api/user/info ${flooded.ms.length} calls, median ${change(({ ms }) => median(ms))}, p99 ${change(({ ms }) => p99(ms))}; node:http and Redis alone p99 ${change(({ bareMs }) => p99(bareMs))}`,
  )
  return {
    p99: p99(flooded.ms),
    refused: (flooded.refused / flooded.ms.length) * 100,
    longest,
    answers: Object.keys(answers).sort(),
  }
}

test('F12 a flood of passwords leaves the other calls quick', { timeout: 420_000 }, async () => {
  const results = await quietRounds(rounds, round)
  const middle = (what: 'p99' | 'refused' | 'longest') => median(results.map((result) => result[what]))
  figure('/api/user/info p99 in the flood', middle('p99'), ['<=', limitMs], 'ms')
  figure('/api/user/info refused in the flood, of a hundred', middle('refused'), ['<=', 1])
  figure('longest wait for a password', middle('longest') / 1_000, ['<=', longestSeconds], 's')
  for (const { answers } of results) expect(answers).toEqual(['LOGIN_FAILED', 'SERVICE_BUSY'])
})
