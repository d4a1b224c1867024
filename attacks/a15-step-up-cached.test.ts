import { changeEmail, changeMobile, changePassword, changeUsername } from '@hufu/contract/account'
import { userInfo } from '@hufu/contract/profile'
import { sendEmailCode, sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { codeTo, fresh, sessionOf, type TestSite, times } from '../apps/server/test/test-app.ts'
import { passCheck } from './checks.ts'
import { type Browser, few, type Harness, number, openHarness } from './harness.ts'
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

/** Asks both processes, so that whatever they keep is kept. */
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

test('A15 no change is made before the check, whatever the caches hold', async () => {
  let calls = 0
  for (let round = 0; round < few(30, 5); round++) {
    const person = await t.person(site)
    const browser = await t.session(site, person.id)
    calls += await refusedAll(browser, person.id)
  }
  console.log(`A15: ${calls} calls with warm caches and without a check, 0 changes`)
})

test('A15 a check of another session of the same person changes nothing here', async () => {
  const person = await t.person(site)
  const browser = await t.session(site, person.id)
  const other = await t.session(site, person.id)
  await passCheck(t, site, other, person.mobile)
  expect(await refusedAll(browser, person.id)).toBeGreaterThan(0)
})

test('A15 a check that the database no longer knows opens nothing, though every cache believes in it', async () => {
  const person = await t.person(site)
  const browser = await t.session(site, person.id)
  await passCheck(t, site, browser, person.mobile)
  // The tombstone of the check is taken away, so that the checked state really lies in the cache.
  await t.deps.cache.del(`{${site.id}:${person.id}}:s:${sessionOf(browser)}`)
  await warm(browser)
  await t.deps.pool.query('UPDATE session SET two_factor_at = NULL WHERE id = $1', [sessionOf(browser)])
  expect((await browser.call(userInfo)).data?.twoFactor).toBe(true)
  expect(await refusedAll(browser, person.id)).toBeGreaterThan(0)
})
