import { loginByMobile, loginByPassword } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { UserId } from '../apps/server/src/core/ids.ts'
import { changeStatus } from '../apps/server/src/features/users/users.service.ts'
import { type TestSite, times } from '../apps/server/test/test-app.ts'
import { askCode, few, type Harness, number, openHarness, password } from './harness.ts'
import { tally } from './http.ts'
import { check, decide, hasSession, showCode } from './scan.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
})
afterAll(() => t.close())

const disable = (id: UserId) => changeStatus(t.deps, site.id, id, 'disabled', 'attack')

async function sessionsOf(id: UserId): Promise<number> {
  const { rows } = await t.deps.pool.query(
    "SELECT count(*)::int AS found FROM session WHERE site_id = $1 AND user_id = $2 AND method = 'scan'",
    [site.id, id],
  )
  return rows[0].found as number
}

const steps = ['before the scan', 'after the scan', 'after approving'] as const

test.each(steps)('A07 an account that is disabled %s gets no session', async (when) => {
  const rounds = few(20, 5)
  for (let round = 0; round < rounds; round++) {
    const waiting = await showCode(t, site)
    const approver = await t.session(site, (await t.person(site)).id)
    const expected = { scan: 200, tap: 200 }
    if (when === 'before the scan') await disable(approver.id)
    if (when === 'before the scan') Object.assign(expected, { scan: 401, tap: 401 })
    expect((await decide(approver, waiting.request, 0)).status).toBe(expected.scan)
    if (when === 'after the scan') await disable(approver.id)
    if (when === 'after the scan') expected.tap = 401
    expect((await decide(approver, waiting.request, 1)).status).toBe(expected.tap)
    if (when === 'after approving') await disable(approver.id)
    const checks = await Promise.all(times(4, () => check(waiting)))
    if (when === 'after approving') expect(tally(checks.map(({ code }) => code))).toEqual({ ACCOUNT_DISABLED: 4 })
    expect(hasSession(waiting.browser)).toBe(false)
    expect(await sessionsOf(approver.id)).toBe(0)
  }
  console.log(`A07: ${rounds} accounts disabled ${when}, no session`)
})

test('A07 disabling and checking at once: either no session, or one that is dead', async () => {
  const rounds = few(60, 15)
  let refused = 0
  for (let round = 0; round < rounds; round++) {
    const waiting = await showCode(t, site)
    const approver = await t.session(site, (await t.person(site)).id)
    await decide(approver, waiting.request, 0)
    await decide(approver, waiting.request, 1)
    const [answer] = await Promise.all([check(waiting), disable(approver.id)])
    if (answer.code === 'ACCOUNT_DISABLED') refused++
    expect((await waiting.browser.call(userInfo)).status).toBe(401)
  }
  console.log(`A07: ${rounds} times disabled in the moment of the check: ${refused} refused, the rest dead at once`)
})

test('A07 no other way in either: a right password and a right code are refused, and neither makes a session', async () => {
  const { id, mobile, username } = await t.person(site)
  const browser = t.browser(site)
  const code = await askCode(browser, mobile)
  await disable(id)
  const byPassword = await browser.call(loginByPassword, { account: username, password })
  const byCode = await browser.call(loginByMobile, { ...number(mobile), code })
  expect([byPassword.code, byCode.code]).toEqual(['ACCOUNT_DISABLED', 'ACCOUNT_DISABLED'])
  expect(hasSession(browser)).toBe(false)
  await t.passMinute(site, `+86${mobile}`)
  const again = await browser.call(loginByMobile, { ...number(mobile), code: await askCode(browser, mobile) })
  expect(again.code).toBe('ACCOUNT_DISABLED')
  const { rows } = await t.deps.pool.query('SELECT FROM session WHERE site_id = $1 AND user_id = $2', [site.id, id])
  expect(rows).toHaveLength(0)
})
