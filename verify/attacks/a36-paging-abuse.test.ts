import type { Endpoint } from '@hufu/contract/endpoint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { leeway } from '../../tools/checks/time-limit.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { type Browser, type Harness, openHarness } from '../harness/harness.ts'
import { allEndpoints, answerFieldsOf, fieldsOf, jsonEndpoints, sampleFor } from './samples.ts'

let t: Harness
let site: TestSite
let caller: Browser & { id?: string }
const rows = 150
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  caller = await callerOf(t, 'merchantAdmin', site)
  await fill()
})
afterAll(() => t.close())

/** More of everything than a page holds. */
async function fill(): Promise<void> {
  const { pool } = t.deps
  const many = `generate_series(1, ${rows}) n`
  await pool.query(`INSERT INTO users (site_id, id) SELECT $1, gen_random_uuid() FROM ${many}`, [site.id])
  for (const query of [
    `INSERT INTO operator_log (site_id, operator, action) SELECT $1, $2, 'user.read' FROM ${many}`,
    `INSERT INTO security_log (site_id, user_id, event) SELECT $1, $2::uuid, 'login' FROM ${many}`,
    `INSERT INTO session (site_id, user_id, id, secret_hash, method, browser, device, os, address)
       SELECT $1, $2::uuid, gen_random_uuid(), '', 'password', '', '', '', '127.0.0.1' FROM ${many}`,
    `INSERT INTO site_config (site_id, version, config, saved_by)
       SELECT $1, n, '{}', $2 FROM generate_series(2, ${rows}) n`,
  ])
    await pool.query(query, [site.id, caller.id])
}

const paged = allEndpoints.filter((endpoint) => fieldsOf(endpoint).some((field) => field === 'top' || field === 'skip'))

/** Written as they go over the wire: JSON knows numbers that JavaScript can't write. */
const never = [
  '-1',
  '-1e9',
  '0.5',
  '1.5',
  '1e-3',
  '99.999999',
  '1e400',
  '-1e400',
  '9007199254740993',
  '1e21',
  '2147483648000',
  '1000000001',
  '"10"',
  '""',
  '"1; DROP TABLE users"',
  '"0x10"',
  '"NaN"',
  '"Infinity"',
  '"１０"',
  'null',
  'true',
  'false',
  '[]',
  '[10]',
  '[[10]]',
  '{}',
  '{"$gt":0}',
  '{"valueOf":10}',
  '{"top":10,"skip":0}',
]
const hostile = { top: [...never, '0', '101', '100.0001', '1e3', '1e9'], skip: never }

/** The call's own input without the page, of the caller where it is about a user; its filters would hide what is paged. */
function plainInput(endpoint: Endpoint): Record<string, unknown> {
  const { id } = sampleFor(endpoint)
  return id === undefined ? {} : { id: caller.id }
}

/** The body with one field put in as it is written. */
function withRaw(endpoint: Endpoint, field: string, written: string): string {
  const others = JSON.stringify(plainInput(endpoint)).slice(1, -1)
  return `{${[others, `"${field}":${written}`].filter(Boolean).join(',')}}`
}

/** Calls that answer rows but have no pages. */
const whole = jsonEndpoints.filter((endpoint) => answerFieldsOf(endpoint).includes('data') && !paged.includes(endpoint))

test('A36 every paged list is covered, and the others return a hundred rows at most', async () => {
  expect(paged.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/api/user/token/list', '/api/merchant/user/query', '/api/merchant/log/query']),
  )
  for (const endpoint of whole) {
    const { data, status } = await caller.post(endpoint.path, JSON.stringify(plainInput(endpoint)))
    if (status === 200) expect((data as List).data.length, endpoint.path).toBeLessThanOrEqual(100)
  }
  for (const endpoint of paged)
    expect(fieldsOf(endpoint), endpoint.path).toEqual(expect.arrayContaining(['top', 'skip']))
})

test('A36 whatever is no whole number within the bounds is refused, wherever there are pages', async () => {
  const wrong: string[] = []
  let calls = 0
  for (const endpoint of paged) {
    for (const [field, values] of Object.entries(hostile)) {
      for (const written of values) {
        calls++
        const { status, code } = await caller.post(endpoint.path, withRaw(endpoint, field, written))
        if (status !== 400 || code !== 'INPUT_INVALID')
          wrong.push(`${endpoint.path} ${field}=${written}: ${status} ${code}`)
      }
    }
  }
  for (const line of wrong.slice(0, 20)) console.log(`A36: ${line}`)
  figure('hostile pages asked for', calls, ['>=', 60 * paged.length])
  figure('of them not refused', wrong.length, ['=', 0])
})

interface List {
  count: number
  data: unknown[]
}

test('A36 no caller gets more than a hundred rows, and a page far behind the end is empty at once', async () => {
  let [slowest, most] = [0, 0]
  for (const endpoint of paged) {
    const ask = async (page: object) => {
      const began = performance.now()
      const { status, data } = await caller.post(endpoint.path, JSON.stringify({ ...plainInput(endpoint), ...page }))
      slowest = Math.max(slowest, performance.now() - began)
      expect(status, endpoint.path).toBe(200)
      most = Math.max(most, (data as List).data.length)
      return data as List
    }
    expect((await ask({})).data, endpoint.path).toHaveLength(10)
    const whole = await ask({ top: 100 })
    expect(whole.data, endpoint.path).toHaveLength(100)
    expect(whole.count, endpoint.path).toBeGreaterThanOrEqual(rows)
    for (const skip of [1_000, 1_000_000, 1_000_000_000])
      expect((await ask({ top: 100, skip })).data, `${endpoint.path} ${skip}`).toEqual([])
  }
  figure('lists with pages', paged.length, ['>=', 7])
  figure('most rows of a page', most, ['<=', 100])
  figure('slowest page', slowest, ['<=', 1_000 * leeway], 'ms')
})
