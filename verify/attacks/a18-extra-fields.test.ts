import { isDeepStrictEqual } from 'node:util'
import type { Endpoint } from '@hufu/contract/endpoint'
import { queryUsers } from '@hufu/contract/merchant-users'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fresh, type TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { askCode, type Harness, number, openHarness } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { allNavigations, jsonEndpoints, sampleFor } from './samples.ts'
import { photo, uploads } from './uploads.ts'

let t: Harness
let site: TestSite
let other: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
  other = await t.codeSite()
})
afterAll(() => t.close())

const extras = (victim: string) => ({
  permission: { MERCHANT: ['READ', 'WRITE', 'ADMIN'] },
  id: victim,
  userId: victim,
  user_id: victim,
  siteId: other.id,
  site_id: other.id,
  site: { id: other.id },
  status: 'active',
  verified: true,
  twoFactor: true,
  two_factor_at: '2099-01-01',
  admin: true,
  role: 'ADMIN',
  created: false,
  signedIn: true,
  known: true,
  send: true,
  wait: false,
  address: '1.2.3.4',
  bucket: 'x',
  browserHash: 'x',
  nickname: '攻击者',
})

/** Everything of two users that a body could have reached for. */
async function stateOf(ids: string[]): Promise<unknown> {
  const rows = ['permission', 'users', 'identity', 'credential', 'session'].map(async (table) => {
    const own = table === 'users' ? 'id' : 'user_id'
    const query = `SELECT to_jsonb(x)::text AS row FROM ${table} x WHERE ${own} = ANY($1) ORDER BY 1`
    return (await t.deps.pool.query(query, [ids])).rows
  })
  return await Promise.all(rows)
}

/** What no caller may set for itself by any request body. */
async function standingOf(id: string): Promise<unknown> {
  const query = `SELECT (SELECT json_agg(action ORDER BY action) FROM permission WHERE user_id = $1) AS rights,
    (SELECT json_agg(two_factor_at) FROM session WHERE user_id = $1) AS checks,
    (SELECT json_agg(site_id) FROM users WHERE id = $1) AS sites,
    (SELECT count(*) FROM users WHERE id = $1 AND nickname = '攻击者') AS renamed`
  return (await t.deps.pool.query(query, [id])).rows
}

/** Extra fields beside the real ones, which win over them, and inside of what a body might be wrapped in. */
const bodiesFor = (sample: object, target: string) => [
  { ...extras(target), ...sample },
  { ...sample, input: extras(target), data: extras(target) },
]

test.each(['user', 'merchantAdmin'] as const)(
  'A18 nothing but the fields of the contract is taken from any body: %s',
  async (role) => {
    const [victim, foreign] = [await t.user(site), await t.user(other)]
    const before = await stateOf([victim.id, foreign.id])
    const taken: string[] = []
    let calls = 0
    await together(jsonEndpoints.length, 6, async (index) => {
      const endpoint = jsonEndpoints[index] as Endpoint
      const caller = await callerOf(t, role, site)
      const mine = await standingOf(caller.id ?? '')
      const sample = sampleFor(endpoint)
      for (const body of [victim.id, foreign.id].flatMap((target) => bodiesFor(sample, target))) {
        calls++
        const { status, body: answer } = await caller.post(endpoint.path, JSON.stringify(body))
        const disclosed = [victim.id, foreign.id].some((id) => answer.includes(id)) && !lists.includes(endpoint)
        if (status >= 500 || disclosed || answer.includes('攻击者'))
          taken.push(`${endpoint.path}: ${status} ${answer.slice(0, 200)}`)
      }
      if (!isDeepStrictEqual(await standingOf(caller.id ?? ''), mine)) taken.push(`${endpoint.path}: standing`)
    })
    expect(taken).toEqual([])
    expect(await stateOf([victim.id, foreign.id])).toEqual(before)
    const fields = Object.keys(extras('')).length
    figure(`${role}: of ${calls} bodies with ${fields} extra fields each taken`, taken.length, ['=', 0])
  },
)

/** Operators may see all users here. */
const lists: Endpoint[] = [queryUsers]

test('A18 nor from a form with a file, nor from the query of a navigation', async () => {
  const [victim, foreign] = [await t.user(site), await t.user(other)]
  const before = await stateOf([victim.id, foreign.id])
  const caller = await callerOf(t, 'merchantAdmin', site)
  const mine = await standingOf(caller.id ?? '')
  const file = (await photo()).toString('latin1')
  let calls = 0
  for (const target of [victim.id, foreign.id]) {
    const given = Object.entries(extras(target)).map(([name, value]) => [name, String(value)] as const)
    const field = ([name, value]: readonly [string, string]) =>
      `--x\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const picture = `--x\r\ncontent-disposition: form-data; name="file"; filename="a.png"\r\n\r\n${file}\r\n--x--\r\n`
    const form = Buffer.from(`${given.map(field).join('')}${picture}`, 'latin1').toString('latin1')
    for (const { path } of uploads) {
      const query = new URLSearchParams(given.map(([name, value]) => [name, value]))
      const type = 'multipart/form-data; boundary=x'
      expect((await caller.post(`${path}?${query}`, form, { 'content-type': type })).status, path).toBeLessThan(500)
      calls++
    }
    for (const { path } of allNavigations) {
      const query = new URLSearchParams(given.map(([name, value]) => [name, value]))
      expect((await caller.get(`${path}?${query}`)).status, path).toBe(302)
      calls++
    }
  }
  const untouched = isDeepStrictEqual(await stateOf([victim.id, foreign.id]), before)
  const same = isDeepStrictEqual(await standingOf(caller.id ?? ''), mine)
  figure(`users touched by ${calls} forms and navigations with extra fields`, Number(!untouched) + Number(!same), [
    '=',
    0,
  ])
})

test('A18 signing up with extra fields makes a plain account here', async () => {
  const mobile = fresh.mobile()
  const victim = await t.user(site)
  const browser = t.browser(site)
  const body = { ...extras(victim.id), ...number(mobile), code: await askCode(browser, mobile) }
  const { status } = await browser.post('/api/login/mobile', JSON.stringify(body))
  expect(status).toBe(200)
  const { data } = await browser.call(userInfo)
  expect(data).toMatchObject({ mobile, permission: {}, nickname: null, twoFactor: false, email: null })
  expect(data?.id).not.toBe(victim.id)
})
