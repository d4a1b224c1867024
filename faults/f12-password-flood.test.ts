import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type TestSite, times } from '../apps/server/test/test-app.ts'
import { figure } from '../attacks/figure.ts'
import { few, type Harness, openHarness, type Person } from '../attacks/harness.ts'
import { median, percentile } from '../attacks/timing.ts'

const floodMs = few(15_000, 6_000)
/** More than the queue of both processes holds. */
const width = 500
const limitMs = 100
/** Two seconds in the queue, and what the machine needs besides. */
const longestSeconds = 4

let t: Harness
let site: TestSite
let people: Person[]
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  people = await Promise.all(times(4, () => t.signIn(site)))
})
afterAll(() => t.close())

interface Others {
  ms: number[]
  refused: number
}

async function info(until: number): Promise<Others> {
  const others: Others = { ms: [], refused: 0 }
  await Promise.all(
    people.map(async (person) => {
      while (performance.now() < until) {
        const reply = await person.call(userInfo)
        if (reply.status !== 200) others.refused++
        others.ms.push(reply.ms)
        await sleep(10)
      }
    }),
  )
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
  const args = [program, site.host, String(floodMs), String(width), ...inject('apiUrls')]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout) as Flood
}

test('F12 a flood of passwords leaves the other calls quick', async () => {
  const { ms: calm } = await info(performance.now() + 2_000)
  const flooding = flood()
  await sleep(1_500)
  const { ms, refused } = await info(performance.now() + floodMs - 2_000)
  const { answers, count, longest } = await flooding
  const p99 = percentile(ms, 0.99)
  console.log(
    `F12: ${count} passwords in ${floodMs / 1_000} s ${JSON.stringify(answers)}, longest wait ${longest.toFixed(0)} ms; /api/user/info ${ms.length} calls, median ${median(calm).toFixed(1)} → ${median(ms).toFixed(1)} ms, p99 ${percentile(calm, 0.99).toFixed(1)} → ${p99.toFixed(1)} ms`,
  )
  figure('/api/user/info p99 in the flood', p99, ['<=', limitMs], 'ms')
  figure('/api/user/info refused in the flood, of a hundred', (refused / ms.length) * 100, ['<=', 1])
  figure('longest that anybody waited for a password', longest / 1_000, ['<=', longestSeconds], 's')
  expect(Object.keys(answers).sort()).toEqual(['LOGIN_FAILED', 'SERVICE_BUSY'])
})
