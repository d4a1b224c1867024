import { changeNickname, userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fresh, type TestSite } from '../apps/server/test/test-app.ts'
import { callerOf } from './callers.ts'
import { askCode, type Harness, number, openHarness } from './harness.ts'
import { jsonEndpoints, sampleFor } from './samples.ts'

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

/** Everything of the site that a body could have reached for. */
async function state(siteId: string) {
  const tables = ['permission', 'users', 'identity', 'credential']
  const rows = await Promise.all(
    tables.map(
      async (table) =>
        (
          await t.deps.pool.query(`SELECT to_jsonb(x)::text AS row FROM ${table} x WHERE site_id = $1 ORDER BY 1`, [
            siteId,
          ])
        ).rows,
    ),
  )
  const steps = await t.deps.pool.query(
    'SELECT count(*)::int AS n FROM session WHERE site_id = $1 AND two_factor_at IS NOT NULL',
    [siteId],
  )
  return { rows, steps: steps.rows[0].n as number }
}

test('A18 nothing but the fields of the contract is taken from any body', async () => {
  const victim = await t.person(site)
  const foreign = await t.person(other)
  const before = { here: await state(other.id) }
  let calls = 0
  for (const endpoint of jsonEndpoints) {
    const caller = await callerOf(t, 'user', site)
    const mine = await state(site.id)
    const sample = sampleFor(endpoint)
    for (const target of [victim.id, foreign.id]) {
      // Extra fields beside the real ones, and real ones that win over them.
      for (const body of [
        { ...extras(target), ...sample },
        { ...sample, input: extras(target), data: extras(target) },
      ]) {
        calls++
        const { status, body: answer } = await caller.post(endpoint.path, JSON.stringify(body))
        expect(status, endpoint.path).toBeLessThan(500)
        expect(answer, endpoint.path).not.toContain(target)
        expect(answer, endpoint.path).not.toContain('攻击者')
      }
    }
    if (!endpoint.stepUp && endpoint.access !== 'public') {
      const { permission, nickname, twoFactor } = (await caller.call(userInfo)).data ?? {
        permission: {},
        nickname: null,
        twoFactor: false,
      }
      expect({ permission, nickname, twoFactor }, endpoint.path).toEqual({
        permission: {},
        // The one call that takes a nickname takes its own.
        nickname: endpoint.path === changeNickname.path ? sample.nickname : null,
        twoFactor: false,
      })
    }
    const after = await state(site.id)
    expect(after.rows[0], endpoint.path).toEqual(mine.rows[0])
    expect(after.steps, endpoint.path).toBe(mine.steps)
  }
  expect(await state(other.id)).toEqual(before.here)
  console.log(`A18: ${calls} bodies with ${Object.keys(extras('')).length} extra fields each, none taken`)
})

test('A18 signing up with extra fields makes a plain account here', async () => {
  const mobile = fresh.mobile()
  const victim = await t.person(site)
  const browser = t.browser(site)
  const body = { ...extras(victim.id), ...number(mobile), code: await askCode(browser, mobile) }
  const { status } = await browser.post('/api/login/mobile', JSON.stringify(body))
  expect(status).toBe(200)
  const { data } = await browser.call(userInfo)
  expect(data).toMatchObject({ mobile, permission: {}, nickname: null, twoFactor: false, email: null })
  expect(data?.id).not.toBe(victim.id)
})
