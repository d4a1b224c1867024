import { setTimeout as sleep } from 'node:timers/promises'
import { changeEmail, changeMobile, changePassword, changeUsername } from '@hufu/contract/account'
import { updateConfig } from '@hufu/contract/merchant-config'
import { releaseMobile, setUserRights, setUserStatus } from '@hufu/contract/merchant-users'
import { dataFilePath } from '@hufu/contract/personal-data-rules'
import { userInfo } from '@hufu/contract/profile'
import { sendEmailCode, sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { codeTo, fresh, sessionOf, type TestSite, times } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { shop } from '../harness/authorizing.ts'
import { callerOf } from '../harness/callers.ts'
import { type Browser, few, type Harness, number, openHarness } from '../harness/harness.ts'
import { passCheck } from './checks.ts'
import { allEndpoints, sampleFor } from './samples.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite()
})
afterAll(() => t.close())

const guarded = allEndpoints.filter(({ stepUp }) => stepUp)

/** All that a change could touch. */
async function stateOf(id: string): Promise<string> {
  const { rows } = await t.deps.pool.query(
    `SELECT (SELECT row_to_json(u)::text FROM users u WHERE u.id = $1) || (SELECT json_agg(i ORDER BY kind, value)::text
      FROM user_identity i WHERE i.user_id = $1) || coalesce((SELECT secret FROM credential c WHERE c.user_id = $1), '') AS state`,
    [id],
  )
  return rows[0].state
}

/** Calls both processes, so that their caches are filled. */
const warm = (browser: Browser) => Promise.all(times(inject('apiUrls').length * 2, () => browser.call(userInfo)))

async function attempts(browser: Browser): Promise<(string | undefined)[]> {
  const mobile = fresh.mobile()
  const email = fresh.email()
  await browser.call(sendMobileCode, number(mobile))
  await browser.call(sendEmailCode, { email, type: 'authorize' })
  const honest = [
    await browser.call(changeMobile, { ...number(mobile), code: await codeTo(mobile) }),
    await browser.call(changeEmail, { email, code: await codeTo(email) }),
    await browser.call(changeUsername, { username: fresh.username() }),
    await browser.call(changePassword, { password: 'Neu#2026pass' }),
  ]
  const swept = await Promise.all(
    guarded.map((endpoint) => browser.post(endpoint.path, JSON.stringify(sampleFor(endpoint)))),
  )
  expect(swept.filter(({ status }) => status === 200)).toEqual([])
  return honest.map(({ status, code }) => (status === 200 ? 'done' : code))
}

async function refusedAll(browser: Browser, id: string): Promise<number> {
  const before = await stateOf(id)
  await warm(browser)
  const codes = await attempts(browser)
  expect(codes.filter((code) => code !== 'TWO_FACTOR_REQUIRED')).toEqual([])
  expect(await stateOf(id)).toBe(before)
  return codes.length
}

test('A15 no change is made before the step-up, whatever the caches hold', async () => {
  let [calls, refusals] = [0, 0]
  for (let round = 0; round < few(30, 2); round++) {
    const user = await t.user(site)
    const browser = await t.session(site, user.id)
    calls += 4
    refusals += await refusedAll(browser, user.id)
  }
  figure(`changes made by ${calls} calls with warm caches and without a step-up`, calls - refusals, ['=', 0])
})

test('A15 a step-up of another session of the same user changes nothing here', async () => {
  const user = await t.user(site)
  const browser = await t.session(site, user.id)
  const other = await t.session(site, user.id)
  await passCheck(t, site, other, user.mobile)
  expect(await refusedAll(browser, user.id)).toBeGreaterThan(0)
})

test('A15 a step-up that the database no longer has permits nothing, although every cache holds it', async () => {
  const user = await t.user(site)
  const browser = await t.session(site, user.id)
  await passCheck(t, site, browser, user.mobile)
  // The tombstone of the check is taken away, so that the checked state really lies in the cache; copies from about the moment
  // of a change are not used.
  await sleep(1_000)
  await t.deps.cache.del(`{${site.id}:${user.id}}:s2:${sessionOf(browser)}`)
  await warm(browser)
  await t.deps.pool.query('UPDATE session SET two_factor_at = NULL WHERE id = $1', [sessionOf(browser)])
  expect((await browser.call(userInfo)).data?.twoFactor).toBe(true)
  expect(await refusedAll(browser, user.id)).toBeGreaterThan(0)
})

/** What operators could have changed of a colleague and of the site. */
async function officeState(id: string): Promise<string> {
  const { rows } = await t.deps.pool.query(
    `SELECT json_build_array((SELECT json_agg(p ORDER BY action) FROM permission p WHERE p.user_id = $1),
      (SELECT u FROM users u WHERE u.id = $1), (SELECT max(version) FROM site_config c WHERE c.site_id = $2),
      (SELECT count(*) FROM user_export e WHERE e.site_id = $2))::text AS state`,
    [id, site.id],
  )
  return rows[0].state
}

/** All calls of the back-office that need a step-up: by the contract, and by their target. */
async function officeAttempts(admin: Browser, id: string): Promise<(string | undefined)[]> {
  const swept = guarded.map((endpoint) => admin.post(endpoint.path, JSON.stringify(sampleFor(endpoint))))
  const aimed = [
    admin.call(setUserRights, { id, actions: ['READ', 'WRITE', 'ADMIN'] }),
    admin.call(releaseMobile, { id, reason: '试' }),
    admin.call(setUserStatus, { id, status: 'disabled' }),
    admin.call(updateConfig, { config: { clients: [shop] } }),
  ]
  return (await Promise.all([...swept, ...aimed])).map(({ status, code }) => (status === 200 ? 'done' : code))
}

const refusedForLackOfCheck = (codes: (string | undefined)[]) =>
  codes.filter((code) => code === 'TWO_FACTOR_REQUIRED').length

test('A15 no operator changes users, rights or secrets before the step-up, nor downloads an archive', async () => {
  const admin = await callerOf(t, 'adminWithoutStepUp', site)
  const { id = '' } = await callerOf(t, 'merchantWrite', site)
  await warm(admin)
  const before = await officeState(id)
  const codes = await officeAttempts(admin, id)
  codes.push((await admin.get(`${dataFilePath}?id=${id}`)).code)
  expect(await officeState(id)).toBe(before)
  figure(`of ${codes.length} calls of an operator without a step-up refused for it`, refusedForLackOfCheck(codes), [
    '=',
    codes.length,
  ])
})

test('A15 nor with a step-up that only the caches still hold', async () => {
  const admin = await callerOf(t, 'merchantAdmin', site)
  const { id = '' } = await callerOf(t, 'merchantWrite', site)
  await warm(admin)
  await t.deps.pool.query('UPDATE session SET two_factor_at = NULL WHERE id = $1', [sessionOf(admin)])
  expect((await admin.call(userInfo)).data?.twoFactor).toBe(true)
  const before = await officeState(id)
  const codes = await officeAttempts(admin, id)
  console.log(`A15: a check in the caches alone: ${JSON.stringify(codes)}`)
  expect(await officeState(id)).toBe(before)
  figure('changes of an operator whose step-up is only in the caches', codes.filter((code) => code === 'done').length, [
    '=',
    0,
  ])
})
