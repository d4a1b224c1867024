import { randomUUID } from 'node:crypto'
import {
  addPasskey,
  beginPasskey,
  factorState,
  loginByFactor,
  loginByPasskey,
  passkeyLoginOptions,
  removePasskey,
  removeTotp,
  renamePasskey,
} from '@hufu/contract/factors'
import { loginByPassword } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { twoFactorPasskeyOptions, twoFactorState, verifyTwoFactor } from '@hufu/contract/two-factor'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SoftwarePasskey, softwarePasskey } from '../../../../../tools/simulators/software-passkey.ts'
import { type Member, member, password } from '../../../test/account-user.ts'
import { makeOperator } from '../../../test/enrolled.ts'
import { protect } from '../../../test/factors.ts'
import { checked, eventsOf } from '../../../test/operator.ts'
import {
  sessionOf,
  startTestApp,
  type TestApp,
  type TestBrowser,
  type TestSite,
  times,
} from '../../../test/test-app.ts'
import type { SiteId, UserId } from '../../platform/ids.ts'
import { changeStatus } from '../users/users.service.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
})
afterAll(() => t.close())

const refused = (code: string) => expect.objectContaining({ code })

/** Asks for the options and answers them, as a page does. */
async function add(browser: TestBrowser, passkey: SoftwarePasskey, input: { name?: string } = {}) {
  const options = await browser.call(beginPasskey, {})
  if (!options.data) throw new Error(`no options: ${options.code}`)
  return await browser.call(addPasskey, { passkey: passkey.create(options.data), ...input })
}

async function signIn(browser: TestBrowser, passkey: SoftwarePasskey) {
  const { data: options = {} } = await browser.call(passkeyLoginOptions)
  return await browser.call(loginByPasskey, { passkey: passkey.get(options) })
}

/** A user with one passkey, in the session that added it. */
async function enrolled(at = site): Promise<Member & { passkey: SoftwarePasskey; passkeyId: string }> {
  const user = await member(t, at)
  await checked(t, user)
  const passkey = softwarePasskey(at.origin)
  const answer = await add(user, passkey)
  if (!answer.data) throw new Error(`no passkey: ${answer.code}`)
  return { ...user, passkey, passkeyId: answer.data.id }
}

test('D142 the first passkey protects the account, comes with ten recovery codes and is announced', async () => {
  const user = await member(t, site)
  await checked(t, user)
  const passkey = softwarePasskey(site.origin)
  const first = await add(user, passkey, { name: '我的手机' })
  expect(first.data?.recoveryCodes).toHaveLength(10)
  const second = await add(user, softwarePasskey(site.origin))
  expect(second.data).toMatchObject({ recoveryCodes: null })
  const { data: state } = await user.call(factorState)
  expect(state).toMatchObject({ protected: true, totp: null, recovery: { left: 10 } })
  expect(state?.passkeys).toMatchObject([
    { id: first.data?.id, name: '我的手机', lastUsed: null, synced: false },
    { id: second.data?.id, name: '未知浏览器 · 未知系统' },
  ])
  expect((await user.call(userInfo)).data).toMatchObject({ protected: true, twoFactor: true })
  const events = (await eventsOf(t, site, user.id)).map(({ event }) => event)
  expect(events.filter((event) => event === 'factor.passkeyAdded')).toHaveLength(2)
  const { rows } = await t.deps.pool.query("SELECT FROM pgboss.job WHERE name = 'mail-notice' AND data->>'to' = $1", [
    user.email,
  ])
  expect(rows).toHaveLength(2)
})

test('D142 adding needs a step-up, and one answer makes one passkey', async () => {
  const [user, unchecked] = [await member(t, site), await member(t, site)]
  expect(await unchecked.call(beginPasskey, {})).toEqual(refused('TWO_FACTOR_REQUIRED'))
  await checked(t, user)
  const { data: options = {} } = await user.call(beginPasskey, {})
  const passkey = softwarePasskey(site.origin).create(options)
  const answers = await Promise.all(times(5, () => user.call(addPasskey, { passkey })))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await user.call(factorState)).data?.passkeys).toHaveLength(1)
})

test('D142 the challenge is of the session, and the same authenticator is not added twice', async () => {
  const [user, other] = [await enrolled(), await member(t, site)]
  await checked(t, other)
  const { data: options = {} } = await user.call(beginPasskey, {})
  expect(options.excludeCredentials).toMatchObject([{ id: user.passkey.id }])
  const elsewhere = { passkey: softwarePasskey(site.origin).create(options) }
  expect(await other.call(addPasskey, elsewhere)).toEqual(refused('FACTOR_WRONG'))
  expect(await user.call(addPasskey, { passkey: user.passkey.create(options) })).toEqual(refused('PASSKEY_TAKEN'))
})

test('D142 a passkey is renamed and removed by its owner alone; the last one ends the protection', async () => {
  const [user, other] = [await enrolled(), await enrolled()]
  const id = user.passkeyId
  expect(await other.call(renamePasskey, { id, name: '别人的' })).toEqual(refused('NOT_FOUND'))
  expect(await other.call(removePasskey, { id })).toEqual(refused('NOT_FOUND'))
  expect((await user.call(renamePasskey, { id, name: '旧手机' })).status).toBe(200)
  expect((await user.call(factorState)).data?.passkeys).toMatchObject([{ name: '旧手机' }])
  expect((await user.call(removePasskey, { id })).status).toBe(200)
  expect((await user.call(factorState)).data).toMatchObject({ protected: false, passkeys: [], recovery: null })
  expect(await signIn(t.browser(site), user.passkey)).toEqual(refused('PASSKEY_UNKNOWN'))
  expect((await t.call(site, loginByPassword, { account: user.username, password })).status).toBe(200)
})

test('D143 a passkey signs in by itself, and counts as a step-up', async () => {
  const user = await enrolled()
  const browser = t.browser(site)
  expect((await signIn(browser, user.passkey)).data).toEqual({ id: user.id, created: false })
  expect((await browser.call(userInfo)).data).toMatchObject({ id: user.id, twoFactor: true, protected: true })
  const { rows } = await t.deps.pool.query(
    'SELECT method, factor_at IS NOT NULL AS factor FROM session WHERE id = $1',
    [sessionOf(browser)],
  )
  expect(rows).toEqual([{ method: 'passkey', factor: true }])
  expect((await browser.call(factorState)).data?.passkeys[0]?.lastUsed).toEqual(expect.any(Number))
})

test('D143 an answer signs in once, in the browser that asked', async () => {
  const user = await enrolled()
  const [browser, other] = [t.browser(site), t.browser(site)]
  const { data: options = {} } = await browser.call(passkeyLoginOptions)
  expect(options).toMatchObject({ rpId: site.host, userVerification: 'required' })
  expect(options).not.toHaveProperty('allowCredentials')
  const answer = { passkey: user.passkey.get(options) }
  await other.call(passkeyLoginOptions)
  expect(await other.call(loginByPasskey, answer)).toEqual(refused('FACTOR_WRONG'))
  const answers = await Promise.all(times(10, () => browser.call(loginByPasskey, answer)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const { rows } = await t.deps.pool.query("SELECT FROM session WHERE user_id = $1 AND method = 'passkey'", [user.id])
  expect(rows).toHaveLength(1)
})

test('D143 a disabled account is refused', async () => {
  const user = await enrolled()
  await changeStatus(t.deps, site.id, user.id as UserId, 'disabled', 'test')
  expect(await signIn(t.browser(site), user.passkey)).toEqual(refused('ACCOUNT_DISABLED'))
})

test('D143 a passkey of one site is worth nothing at another, however its answer is addressed', async () => {
  const elsewhere = await t.codeSite()
  const user = await enrolled()
  const browser = t.browser(elsewhere)
  const { data: options = {} } = await browser.call(passkeyLoginOptions)
  for (const answering of [{}, { origin: elsewhere.origin, rpId: elsewhere.host }])
    expect(await browser.call(loginByPasskey, { passkey: user.passkey.get(options, answering) })).toEqual(
      refused('PASSKEY_UNKNOWN'),
    )
})

test('D144 a passkey is the second step of a sign-in, of the account that began it', async () => {
  const [user, other] = [await enrolled(), await enrolled()]
  const browser = t.browser(site)
  const owed = await browser.call(loginByPassword, { account: user.username, password })
  expect(owed).toMatchObject({ code: 'FACTOR_REQUIRED', details: { ways: ['passkey', 'recovery'] } })
  const { ticket } = owed.details
  const answer = async ({ passkey }: { passkey: SoftwarePasskey }) =>
    passkey.get((await browser.call(passkeyLoginOptions)).data ?? {})
  expect(await browser.call(loginByFactor, { ticket, passkey: await answer(other) })).toEqual(
    refused('PASSKEY_UNKNOWN'),
  )
  expect((await browser.call(loginByFactor, { ticket, passkey: await answer(user) })).data?.id).toBe(user.id)
})

test('D144 a passkey steps up, by a challenge of the session alone', async () => {
  const user = await enrolled()
  const browser = t.browser(site)
  await signIn(browser, user.passkey)
  await t.deps.pool.query(
    "UPDATE session SET two_factor_at = NULL, factor_at = now() - interval '1 hour' WHERE user_id = $1",
    [user.id],
  )
  expect((await browser.call(twoFactorState)).data).toMatchObject({
    twoFactor: false,
    factors: ['passkey', 'recovery'],
  })
  const { data: login = {} } = await browser.call(passkeyLoginOptions)
  expect(await browser.call(verifyTwoFactor, { passkey: user.passkey.get(login) })).toEqual(refused('FACTOR_WRONG'))
  const { data: options = {} } = await browser.call(twoFactorPasskeyOptions)
  expect(options.allowCredentials).toMatchObject([{ id: user.passkey.id }])
  expect((await browser.call(verifyTwoFactor, { passkey: user.passkey.get(options) })).status).toBe(200)
  expect((await browser.call(twoFactorState)).data?.twoFactor).toBe(true)
  expect(await (await member(t, site)).call(twoFactorPasskeyOptions)).toEqual(refused('PASSKEY_UNKNOWN'))
})

test('D145 an operator keeps the last factor', async () => {
  const user = await enrolled()
  await makeOperator(t.deps, site.id, user.id, ['READ'])
  await t.deps.pool.query('DELETE FROM totp WHERE user_id = $1', [user.id])
  expect(await user.call(removePasskey, { id: user.passkeyId })).toEqual(refused('FACTOR_LAST'))
  const second = await add(user, softwarePasskey(site.origin))
  expect((await user.call(removePasskey, { id: user.passkeyId })).status).toBe(200)
  expect(await user.call(removePasskey, { id: second.data?.id ?? randomUUID() })).toEqual(refused('FACTOR_LAST'))
  expect((await user.call(factorState)).data).toMatchObject({ protected: true, operator: true })
})

test('D339 the last passkey stays while the account has an authenticator and no other way in than a texted code', async () => {
  const user = await enrolled()
  const other = softwarePasskey(site.origin)
  const spare = (await add(user, other)).data?.id ?? ''
  await protect(t.deps, site.id as SiteId, user.id as UserId)
  await t.deps.pool.query("DELETE FROM credential WHERE user_id = $1 AND kind = 'password'", [user.id])
  // One for a former host is no way in.
  await t.deps.pool.query("UPDATE passkey SET rp_id = 'former.example.com' WHERE id = $1", [spare])
  expect((await user.call(removePasskey, { id: user.passkeyId })).code).toBe('FACTOR_NEEDS_WAY')
  expect((await user.call(removePasskey, { id: spare })).status).toBe(200)
  expect((await user.call(factorState)).data?.passkeys).toHaveLength(1)
  expect((await user.call(removeTotp)).status).toBe(200)
  expect((await user.call(removePasskey, { id: user.passkeyId })).status).toBe(200)
})

test('D340 a passkey that was made for a former host is offered in no second step', async () => {
  const user = await enrolled()
  const ways = async () => {
    const { details } = await t.browser(site).call(loginByPassword, { account: user.email, password })
    return [details?.ways, (await user.call(twoFactorState)).data?.factors]
  }
  expect(await ways()).toEqual([
    ['passkey', 'recovery'],
    ['passkey', 'recovery'],
  ])
  await t.deps.pool.query("UPDATE passkey SET rp_id = 'former.example.com' WHERE user_id = $1", [user.id])
  expect(await ways()).toEqual([['recovery'], ['recovery']])
})
