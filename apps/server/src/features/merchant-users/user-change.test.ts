import { randomUUID } from 'node:crypto'
import { changeMobile } from '@hufu/contract/account'
import { confirmLogin, loginByMobile, loginByPassword } from '@hufu/contract/login'
import { readUser, releaseMobile, setUserStatus, signOutUser } from '@hufu/contract/merchant-users'
import { userInfo } from '@hufu/contract/profile'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, member, newMobile, password, signInAgain } from '../../../test/account-user.ts'
import { makeOperator } from '../../../test/enrolled.ts'
import { checked, eventsOf, newOperator, type Operator, recordsOf } from '../../../test/operator.ts'
import { held, lockedOut } from '../../../test/race.ts'
import { codeTo, startTestApp, type TestApp, type TestBrowser, type TestSite, times } from '../../../test/test-app.ts'
import type { UserId } from '../../platform/ids.ts'
import { createUser } from '../users/users.service.ts'

let t: TestApp
let second: TestApp
let site: TestSite
let admin: Operator
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite()
  // Another process of the same deployment.
  second = await startTestApp({
    HUFU_DATABASE_URL: t.deps.config.databaseUrl,
    HUFU_KEYS: [...t.deps.config.keys.byId].map(([id, key]) => `${id}:${key.toString('base64')}`).join(','),
  })
  admin = await newOperator(t, site, ['READ', 'ADMIN'])
})
afterAll(() => Promise.all([t.close(), second.close()]))

function elsewhere({ cookies }: TestBrowser): TestBrowser {
  const browser = second.browser(site)
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  return browser
}

const disable = (id: string, by: TestBrowser = admin) => by.call(setUserStatus, { id, status: 'disabled' })
const enable = (id: string, by: TestBrowser = admin) => by.call(setUserStatus, { id, status: 'active' })
const loginAgain = ({ username }: Member) => t.browser(site).call(loginByPassword, { account: username, password })
const actionsOn = async (id: string) =>
  (await recordsOf(t, site, admin.id)).filter(({ target }) => target === id).map(({ action }) => action)

test('disabling in mid-session holds at once in every process, and enabling revives no session', async () => {
  const user = await member(t, site)
  const other = await signInAgain(t, site, user)
  for (const browser of [user, elsewhere(user), other]) expect((await browser.call(userInfo)).status).toBe(200)
  expect(await disable(user.id)).toMatchObject({ status: 200, data: null })
  const all = [user, elsewhere(user), other, elsewhere(other)]
  for (const browser of all) expect((await browser.call(userInfo)).code).toBe('SESSION_REMOVED')
  expect((await loginAgain(user)).code).toBe('ACCOUNT_DISABLED')
  expect((await enable(user.id)).status).toBe(200)
  for (const browser of all) expect((await browser.call(userInfo)).code).toBe('SESSION_REMOVED')
  expect((await loginAgain(user)).status).toBe(200)
  expect(await actionsOn(user.id)).toEqual(['user.disable', 'user.enable'])
  const own = (await eventsOf(t, site, user.id)).filter(({ event }) => event.startsWith('account.'))
  expect(own).toEqual([
    { event: 'account.disable', address: null },
    { event: 'account.enable', address: null },
  ])
})

test('a session that slipped in while the user was disabled is ended when they are enabled', async () => {
  const user = await member(t, site)
  await disable(user.id)
  await t.deps.pool.query('UPDATE session SET ended_at = NULL, end_reason = NULL WHERE user_id = $1', [user.id])
  await enable(user.id)
  expect((await user.call(userInfo)).code).toBe('SESSION_REMOVED')
})

test('what is so already changes nothing: the sessions stay, nothing is on record; ten at once are one', async () => {
  const user = await member(t, site)
  expect((await enable(user.id)).status).toBe(200)
  expect((await user.call(userInfo)).status).toBe(200)
  expect(await actionsOn(user.id)).toEqual([])
  await Promise.all(times(10, () => disable(user.id)))
  expect(await actionsOn(user.id)).toEqual(['user.disable'])
})

test('operators cannot disable themselves, a user of another site or an unknown id', async () => {
  expect((await disable(admin.id)).code).toBe('OWN_ACCOUNT')
  expect((await admin.call(userInfo)).status).toBe(200)
  const abroad = await member(t, await t.site())
  for (const id of [abroad.id, randomUUID()]) {
    expect((await disable(id)).code).toBe('NOT_FOUND')
    expect((await admin.call(signOutUser, { id })).code).toBe('NOT_FOUND')
    expect((await admin.call(releaseMobile, { id, reason: '号码停用' })).code).toBe('NOT_FOUND')
  }
  expect((await abroad.call(userInfo)).status).toBe(200)
})

test("an operator is disabled and enabled only after the caller's identity check, past the cache", async () => {
  const other = await newOperator(t, site, ['READ'])
  const unchecked = await newOperator(t, site, ['READ', 'ADMIN'], { check: false })
  expect((await disable(other.id, unchecked)).code).toBe('TWO_FACTOR_REQUIRED')
  expect((await other.call(userInfo)).status).toBe(200)
  // An ordinary user needs none.
  expect((await disable((await member(t, site)).id, unchecked)).status).toBe(200)
  // The cache still says that there was no step-up, then still that there was one.
  await checked(t, unchecked)
  expect((await disable(other.id, unchecked)).status).toBe(200)
  await t.deps.pool.query('UPDATE session SET two_factor_at = NULL WHERE user_id = $1', [unchecked.id])
  expect((await enable(other.id, unchecked)).code).toBe('TWO_FACTOR_REQUIRED')
})

test('signing a user out ends every session, says how many, and is on record on both sides', async () => {
  const user = await member(t, site)
  const browsers = [user, await signInAgain(t, site, user), elsewhere(user)]
  const stranger = await member(t, site)
  expect((await admin.call(signOutUser, { id: user.id })).data).toEqual({ ended: 2 })
  for (const browser of browsers) expect((await browser.call(userInfo)).code).toBe('SESSION_REMOVED')
  expect((await stranger.call(userInfo)).status).toBe(200)
  expect((await loginAgain(user)).status).toBe(200)
  expect((await recordsOf(t, site, admin.id)).at(-1)).toMatchObject({
    action: 'user.signOut',
    target: user.id,
    detail: { count: 2 },
  })
  expect((await eventsOf(t, site, user.id)).map(({ event }) => event)).toContain('account.signOut')
})

const release = (id: string, own: { mobile?: string } = {}, by: TestBrowser = admin) =>
  by.call(releaseMobile, { id, reason: ' 号码已停用 ', ...own })

test('a lost number goes off the account, which keeps its other ways; the user is notified and signed out', async () => {
  const user = await member(t, site)
  expect(await release(user.id, { mobile: user.mobile })).toMatchObject({ status: 200, data: null })
  for (const browser of [user, elsewhere(user)]) expect((await browser.call(userInfo)).code).toBe('SESSION_REMOVED')
  const { data } = await admin.call(readUser, { id: user.id })
  expect(data).toMatchObject({
    mobile: null,
    mobilePrefix: null,
    email: `${user.email.slice(0, 2)}****@example.com`,
    releasable: false,
  })
  expect((await loginAgain(user)).status).toBe(200)
  const record = (await recordsOf(t, site, admin.id)).find(({ action }) => action === 'user.releaseMobile')
  expect(record).toMatchObject({ target: user.id, detail: { reason: '号码已停用' } })
  expect((await eventsOf(t, site, user.id)).map(({ event }) => event)).toContain('mobile.release')
  const { rows } = await t.deps.pool.query(
    "SELECT name, data->>'to' AS to, data->>'subject' AS subject FROM pgboss.job WHERE data->>'siteId' = $1 AND (data->>'to' = $2 OR data->>'mobile' = $3)",
    [site.id, user.email, user.mobile],
  )
  expect(rows).toEqual([{ name: 'mail-notice', to: user.email, subject: '您的账号由客服解除了手机号绑定' }])
  expect((await release(user.id)).code).toBe('MOBILE_CHANGED')
})

test('whatever stands in the reason is recorded', async () => {
  const user = await member(t, site)
  const odd = await admin.call(releaseMobile, { id: user.id, reason: `停用\ud800"'{{7*7}}` })
  expect(odd.status).toBe(200)
  expect((await recordsOf(t, site, admin.id)).at(-1)?.detail).toEqual({ reason: `停用\ufffd"'{{7*7}}` })
  for (const reason of ['', '  ', 'x'.repeat(201)])
    expect((await admin.call(releaseMobile, { id: user.id, reason })).code).toBe('INPUT_INVALID')
})

test('a number that was taken off an account gets no SMS, even where there is no other channel', async () => {
  const user = await member(t, site, { email: undefined })
  expect((await release(user.id)).status).toBe(200)
  const { rows } = await t.deps.pool.query("SELECT name FROM pgboss.job WHERE data->>'mobile' = $1", [user.mobile])
  expect(rows).toEqual([])
})

/** A right code for a number that was not proved for long: it must be confirmed whose account it is. */
async function askedWhose(user: Member) {
  await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE user_id = $1", [user.id])
  const browser = t.browser(site)
  await browser.call(sendMobileCode, { mobilePrefix: '86', mobile: user.mobile })
  const login = { mobilePrefix: '86', mobile: user.mobile, code: await codeTo(user.mobile) }
  const { ticket } = (await browser.call(loginByMobile, login)).details
  return (mine: boolean) => browser.call(confirmLogin, { ticket, mine, password })
}

test('the question whose account it is, asked before the release, leads nowhere after it', async () => {
  const user = await member(t, site)
  const answer = await askedWhose(user)
  expect((await release(user.id)).status).toBe(200)
  for (const mine of [true, false]) expect((await answer(mine)).code).toBe('LOGIN_CONFIRM_EXPIRED')
})

test('a release and a user who moves the number at the same moment wait for each other in turn', async () => {
  const user = await member(t, site)
  const answer = await askedWhose(user)
  const row = 'SELECT FROM users WHERE site_id = $1 AND id = $2 FOR UPDATE'
  const { released, moved } = await held(t, row, [site.id, user.id], async (holder) => {
    const released = release(user.id)
    await lockedOut(holder, 1)
    const moved = answer(false)
    await lockedOut(holder, 2)
    return { released, moved }
  })
  expect([(await released).status, (await moved).code]).toEqual([200, 'LOGIN_CONFIRM_EXPIRED'])
})

test('a code that is on its way to a released number makes a new account', async () => {
  const user = await member(t, site)
  const browser = t.browser(site)
  await browser.call(sendMobileCode, { mobilePrefix: '86', mobile: user.mobile })
  const code = await codeTo(user.mobile)
  await release(user.id)
  const answer = await browser.call(loginByMobile, { mobilePrefix: '86', mobile: user.mobile, code })
  expect(answer.status).toBe(200)
  expect(answer.data?.id).not.toBe(user.id)
})

test.each(['the sign-in', 'the release'])(
  'signing in by the number while it is released, %s first: no session of the old account lives on',
  async (first) => {
    const user = await member(t, site)
    const browser = t.browser(site)
    await browser.call(sendMobileCode, { mobilePrefix: '86', mobile: user.mobile })
    const login = { mobilePrefix: '86', mobile: user.mobile, code: await codeTo(user.mobile) }
    // Both come as far as the number and wait there, in this order.
    const row = 'SELECT FROM identity WHERE site_id = $1 AND user_id = $2 FOR UPDATE'
    const signIn = () => browser.call(loginByMobile, login)
    const take = () => release(user.id)
    const steps = first === 'the sign-in' ? [signIn, take] : [take, signIn]
    const answers: Promise<{ code: unknown }>[] = []
    await held(t, row, [site.id, user.id], async (holder) => {
      for (const step of steps) {
        answers.push(step())
        await lockedOut(holder, answers.length)
      }
    })
    const codes = (await Promise.all(answers)).map(({ code }) => code)
    expect(codes).toEqual([undefined, first === 'the sign-in' ? undefined : 'SERVICE_BUSY'])
    expect((await browser.call(userInfo)).status).toBe(401)
    if (first === 'the sign-in') return
    // The code was not burnt: it is good for an account of its own.
    const again = await signIn()
    expect([again.status, again.data?.id === user.id]).toEqual([200, false])
  },
)

test('the only way to sign in stays: by what the account has and by what the site offers', async () => {
  const bare = await t.signIn(site)
  expect((await admin.call(readUser, { id: bare.id })).data?.releasable).toBe(false)
  expect((await release(bare.id)).code).toBe('MOBILE_LAST')
  expect((await bare.call(userInfo)).data?.mobile).toBe(bare.mobile)
  const named = await member(t, site, { mobile: undefined })
  expect((await release(named.id)).code).toBe('MOBILE_CHANGED')
  // A password is useless without another name, and a name where the site takes no passwords.
  const mobile = `138${Date.now().toString().slice(-8)}`
  const alone = await createUser(t.deps, site.id, { mobile, password }, 'test')
  expect((await release(alone)).code).toBe('MOBILE_LAST')
  const texting = await t.codeSite({ methods: ['mobile'] })
  const boss = await t.signIn(texting)
  await makeOperator(t.deps, texting.id, boss.id, ['READ', 'ADMIN'])
  await checked(t, boss)
  const there = await createUser(t.deps, texting.id, { mobile, password, username: 'another' }, 'test')
  expect((await release(there, {}, boss)).code).toBe('MOBILE_LAST')
})

test('a bound WeChat is another way, where the site has it', async () => {
  const wechat = { appId: 'wx0123456789abcdef', secret: 'a secret' }
  const withWechat = await t.codeSite({ wechat })
  const boss = await newOperator(t, withWechat, ['READ', 'ADMIN'])
  for (const [at, by, code] of [
    [withWechat, boss, undefined],
    [site, admin, 'MOBILE_LAST'],
  ] as const) {
    const user = await t.signIn(at)
    for (const table of ['identity', 'user_identity'])
      await t.deps.pool.query(
        `INSERT INTO ${table} (site_id, user_id, kind, value) VALUES ($1, $2, 'wechat.openid:wx', $3)`,
        [at.id, user.id, randomUUID()],
      )
    expect((await release(user.id, {}, by)).code).toBe(code)
  }
})

test('a disabled user can lose their number too, and an operator not their own', async () => {
  const user = await member(t, site)
  await disable(user.id)
  expect((await release(user.id)).status).toBe(200)
  expect((await admin.call(readUser, { id: user.id })).data).toMatchObject({ mobile: null, status: 'disabled' })
  expect((await release(admin.id)).code).toBe('OWN_ACCOUNT')
})

test('releasing needs an identity check that is still in force by the database', async () => {
  const user = await member(t, site)
  const late = await newOperator(t, site, ['READ', 'ADMIN'])
  expect((await late.call(userInfo)).data?.twoFactor).toBe(true)
  await t.deps.pool.query('UPDATE session SET two_factor_at = NULL WHERE user_id = $1', [late.id])
  expect((await release(user.id, {}, late)).code).toBe('TWO_FACTOR_REQUIRED')
  expect((await user.call(userInfo)).data?.mobile).toBe(user.mobile)
})

test('the user changes the number while the operator takes the old one off: one of them does it', async () => {
  const winners: string[] = []
  for (const _round of times(10, () => 0)) {
    const user = await member(t, site)
    await checked(t, user)
    const wanted = await newMobile(user)
    const [changed, released] = await Promise.all([
      user.call(changeMobile, wanted),
      release(user.id, { mobile: user.mobile }),
    ])
    const { data } = await admin.call(readUser, { id: user.id as UserId })
    const shown = `${wanted.mobile.slice(0, 3)}****${wanted.mobile.slice(-4)}`
    if (changed.status === 200) expect([released.code, data?.mobile]).toEqual(['MOBILE_CHANGED', shown])
    else expect([changed.code, released.status, data?.mobile]).toEqual(['SESSION_REMOVED', 200, null])
    winners.push(changed.status === 200 ? 'person' : 'operator')
  }
  expect(winners).toHaveLength(10)
})
