import { randomUUID } from 'node:crypto'
import { changeMobile, changePassword } from '@hufu/contract/account'
import { confirmLogin, entry, loginByMobile, loginByPassword, logout } from '@hufu/contract/login'
import { changeNickname, userInfo } from '@hufu/contract/profile'
import type { SiteConfig } from '@hufu/contract/site'
import { twoFactorState } from '@hufu/contract/two-factor'
import { sendMobileCode } from '@hufu/contract/verify-code'
import { loginByNewWechat, wechatArrival } from '@hufu/contract/wechat'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { member, newMobile, password, signInAgain, stepUp } from '../../../test/account-user.ts'
import { enrol, stepUpByApp } from '../../../test/enrolled.ts'
import {
  codeTo,
  fresh,
  messagesTo,
  sessionOf,
  startTestApp,
  type TestApp,
  type TestBrowser,
  type TestSite,
  times,
} from '../../../test/test-app.ts'
import {
  newWechat,
  orderWechat,
  personal,
  returnFromWechat,
  through,
  type WechatAccount,
} from '../../../test/wechat-phone.ts'
import type { SiteId } from '../../platform/ids.ts'
import { changeStatus, createUser } from '../users/users.service.ts'
import { wechatAvatarJob } from './wechat-avatar.ts'

const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 MicroMessenger/8.0.50'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

interface Ground {
  site: TestSite
  wechat: WechatAccount
  /** A new browser inside WeChat. */
  phone(): TestBrowser
}

async function ground(config: SiteConfig = {}): Promise<Ground> {
  const wechat = await newWechat()
  const site = await t.codeSite({ wechat: { ...wechat }, ...config })
  return { site, wechat, phone: () => t.browser(site, { userAgent: phone }) }
}

const tapAs = (browser: TestBrowser, user: string) => through(browser, '/api/login/wechat?tap=1', user)
const silentAs = (browser: TestBrowser, user: string) => through(browser, '/api/login/wechat?source=%2Fuser', user)

const bindAs = async (browser: TestBrowser, user: string, source?: string) =>
  await through(browser, await personal(browser, 'binding', source), user)

const info = async (browser: TestBrowser) => (await browser.call(userInfo)).data

/** A user whose only way to sign in is WeChat. */
async function wechatOnly(at: Ground, user = 'lin'): Promise<TestBrowser> {
  const browser = at.phone()
  expect(await tapAs(browser, user)).toBe('/login?wechat=choose')
  expect((await browser.call(loginByNewWechat, {})).data?.created).toBe(true)
  return browser
}

async function boundMember(at: Ground, user = 'lin') {
  const own = await member(t, at.site)
  expect(await bindAs(own, user)).toBe('/user')
  return own
}

const minutesAgo = (browser: TestBrowser, minutes: number) =>
  t.deps.pool.query('UPDATE session SET created_at = created_at - make_interval(mins => $2) WHERE id = $1', [
    sessionOf(browser),
    minutes,
  ])

const runAvatarJobs = async (site: TestSite) => {
  const { rows } = await t.deps.pool.query(
    "SELECT data FROM pgboss.job WHERE name = 'wechat-avatar' AND data->>'siteId' = $1 ORDER BY created_on",
    [site.id],
  )
  for (const { data } of rows) await wechatAvatarJob(t.deps).run(data)
  return rows.length
}

test('D018 entry answers the way through WeChat inside it alone, and the checked source elsewhere', async () => {
  const { site, phone } = await ground()
  const source = '/user/feedback'
  expect((await phone().call(entry, { source })).data).toBe(`/api/login/wechat?source=${encodeURIComponent(source)}`)
  expect((await t.call(site, entry, { source })).data).toBe(source)
  const bare = await t.codeSite()
  const inApp = t.browser(bare, { userAgent: 'x MicroMessenger/8' })
  expect((await inApp.call(entry, { source })).data).toBe(source)
  const { phone: limited } = await ground({ methods: ['mobile'] })
  expect((await limited().call(entry, { source })).data).toBe(source)
})

test('D052 entry sends a browser to WeChat once in ten minutes, and never one that is signed in', async () => {
  const at = await ground()
  const browser = at.phone()
  expect((await browser.call(entry, {})).data).toMatch(/^\/api\/login\/wechat/)
  for (const _ of times(3, () => 0)) expect((await browser.call(entry, {})).data).toBe('/user')
  const own = await wechatOnly(at)
  expect((await own.call(entry, { source: '/user' })).data).toBe('/user')
})

test('silent entry signs in a bound user and leads all others back to the page, with the outcome', async () => {
  const at = await ground()
  await boundMember(at)
  const known = at.phone()
  expect(await silentAs(known, 'lin')).toBe('/user')
  expect((await info(known))?.wechatNickname).toBe('林小满')
  const stranger = at.phone()
  expect(await through(stranger, '/api/login/wechat?source=%2Fuser%2Fdevice', 'chen')).toBe(
    '/login/%2Fuser%2Fdevice?wechat=back',
  )
  expect(stranger.cookies.has('__Host-hufu')).toBe(false)
})

test('the silent way asks WeChat for no more than the id, a tap for the profile', async () => {
  const { phone, site, wechat } = await ground()
  const silent = new URL(await phone().go('/api/login/wechat'))
  expect(silent.searchParams.get('scope')).toBe('snsapi_base')
  expect(silent.searchParams.has('forcePopup')).toBe(false)
  const tapped = new URL(await phone().go('/api/login/wechat?tap=1'))
  expect(tapped.searchParams.get('scope')).toBe('snsapi_userinfo')
  expect(tapped.searchParams.get('appid')).toBe(wechat.appId)
  expect(tapped.searchParams.get('redirect_uri')).toBe(`${site.origin}/api/wechat/callback`)
  expect(tapped.searchParams.get('state')).toMatch(/^[a-zA-Z0-9]{32}$/)
  expect(tapped.hash).toBe('#wechat_redirect')
})

test('a tap by a visitor without an account offers one; it is made once, with nickname and picture', async () => {
  const at = await ground()
  const browser = at.phone()
  expect(await tapAs(browser, 'lin')).toBe('/login?wechat=choose')
  expect((await browser.call(wechatArrival)).data).toEqual({ nickname: '林小满' })
  expect((await at.phone().call(wechatArrival)).code).toBe('WECHAT_EXPIRED')
  expect((await at.phone().call(loginByNewWechat, {})).code).toBe('WECHAT_EXPIRED')
  const made = await Promise.all(times(5, () => browser.call(loginByNewWechat, {})))
  expect(made.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(made.filter(({ code }) => code === 'WECHAT_EXPIRED')).toHaveLength(4)
  expect(await runAvatarJobs(at.site)).toBe(1)
  const own = await info(browser)
  expect(own).toMatchObject({ nickname: null, wechatNickname: '林小满', avatar: true, mobile: null })
  const again = at.phone()
  expect(await tapAs(again, 'lin')).toBe('/user')
  expect((await info(again))?.id).toBe(own?.id)
})

test('with registration closed a tap makes no account', async () => {
  const at = await ground({ registration: 'closed' })
  const browser = at.phone()
  await tapAs(browser, 'lin')
  expect((await browser.call(loginByNewWechat, {})).code).toBe('REGISTRATION_CLOSED')
})

test('S373 binding gives the account a further way in, and a nickname and picture to fall back to', async () => {
  const at = await ground()
  const own = await boundMember(at)
  expect(await runAvatarJobs(at.site)).toBe(1)
  expect(await info(own)).toMatchObject({ wechatNickname: '林小满', avatar: true })
  expect((await info(own))?.wechatOpenId).toMatch(/^o/)
  const { rows } = await t.deps.pool.query('SELECT kind FROM user_identity WHERE user_id = $1 AND kind LIKE $2', [
    own.id,
    'wechat.%',
  ])
  expect(rows.map(({ kind }) => kind).sort()).toEqual([
    `wechat.openid:${at.wechat.appId}`,
    `wechat.unionid:${at.wechat.appId}`,
  ])
  const elsewhere = at.phone()
  expect(await tapAs(elsewhere, 'lin')).toBe('/user')
  expect((await info(elsewhere))?.id).toBe(own.id)
  expect(await messagesTo(own.email)).toEqual([])
  const { rows: mails } = await t.deps.pool.query(
    "SELECT data->>'subject' AS subject FROM pgboss.job WHERE name = 'mail-notice' AND data->>'to' = $1",
    [own.email],
  )
  expect(mails).toEqual([{ subject: '您的账号绑定了微信' }])
})

test('an own picture and nickname win over those from WeChat', async () => {
  const at = await ground()
  const own = await boundMember(at)
  await own.call(changeNickname, { nickname: '知夏' })
  await runAvatarJobs(at.site)
  const blob = randomUUID()
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .webp()
    .toBuffer()
  await t.deps.pool.query(
    "INSERT INTO blob (site_id, id, owner_id, kind, type, bytes) VALUES ($1, $2, $3, 'avatar', 'image/webp', $4)",
    [at.site.id, blob, own.id, bytes],
  )
  await t.deps.pool.query('UPDATE users SET avatar_id = $1 WHERE id = $2', [blob, own.id])
  const reply = await t.app.inject({ url: `/api/avatar?id=${own.id}`, headers: { host: at.site.host } })
  expect(Buffer.compare(reply.rawPayload, bytes)).toBe(0)
  expect(await info(own)).toMatchObject({ nickname: '知夏', wechatNickname: '林小满' })
})

test('a WeChat that signs in to another account is not bound, and a second one neither', async () => {
  const at = await ground()
  await boundMember(at)
  const other = await member(t, at.site)
  expect(await bindAs(other, 'lin', '/user/wechat')).toBe('/user/wechat?wechat=WECHAT_TAKEN')
  expect((await info(other))?.wechatOpenId).toBeNull()
  expect(await bindAs(other, 'chen')).toBe('/user')
  expect(await bindAs(other, 'zhou', '/user/wechat')).toBe('/user/wechat?wechat=WECHAT_OTHER')
  expect((await info(other))?.wechatNickname).toBe('陈默')
})

test('two accounts that bind one WeChat at once: one has it', async () => {
  const at = await ground()
  const users = await Promise.all(times(4, () => member(t, at.site)))
  const ends = await Promise.all(users.map((own) => bindAs(own, 'lin', '/user/wechat')))
  expect(ends.filter((end) => end === '/user/wechat?wechat=bind')).toHaveLength(1)
  expect(ends.filter((end) => end === '/user/wechat?wechat=WECHAT_TAKEN')).toHaveLength(3)
})

test('a snapshot user is neither bound nor signed in, and sees what to do', async () => {
  const at = await ground()
  const own = await member(t, at.site)
  expect(await bindAs(own, 'snapshot', '/user/wechat')).toBe('/user/wechat?wechat=WECHAT_SNAPSHOT')
  expect((await info(own))?.wechatOpenId).toBeNull()
  const browser = at.phone()
  expect(await tapAs(browser, 'snapshot')).toBe('/login?wechat=WECHAT_SNAPSHOT')
  expect((await browser.call(wechatArrival)).code).toBe('WECHAT_EXPIRED')
})

test('a user who refuses at WeChat is back where they were, unharmed', async () => {
  const at = await ground()
  const browser = at.phone()
  expect(await tapAs(browser, 'refuse')).toBe('/login?wechat=WECHAT_REFUSED')
  const own = await member(t, at.site)
  expect(await bindAs(own, 'refuse')).toBe('/user?wechat=WECHAT_REFUSED')
  expect((await info(own))?.id).toBe(own.id)
})

test('the unionid decides before the openid where both are known', async () => {
  const at = await ground()
  const first = await boundMember(at, 'lin')
  const second = await boundMember(at, 'chen')
  // The first user's WeChat now has the openid that was the second one's.
  const kind = `wechat.openid:${at.wechat.appId}`
  const swap = 'UPDATE identity SET user_id = $1 WHERE site_id = $2 AND kind = $3 AND user_id = $4 AND value = $5'
  const { rows } = await t.deps.pool.query('SELECT value FROM identity WHERE kind = $1 AND user_id = $2', [
    kind,
    first.id,
  ])
  await t.deps.pool.query(swap, [second.id, at.site.id, kind, first.id, rows[0].value])
  const browser = at.phone()
  await tapAs(browser, 'lin')
  expect((await info(browser))?.id).toBe(first.id)
})

test('a unionid that WeChat sends only later is kept with the account', async () => {
  const at = await ground()
  const own = await boundMember(at, 'zhou')
  await orderWechat(at.wechat, { change: { id: 'zhou', united: true } })
  await tapAs(at.phone(), 'zhou')
  const { rows } = await t.deps.pool.query('SELECT kind FROM user_identity WHERE user_id = $1 AND kind LIKE $2', [
    own.id,
    'wechat.%',
  ])
  expect(rows).toHaveLength(2)
})

test('S375 info takes nickname and picture again, from the bound WeChat alone', async () => {
  const at = await ground()
  const own = await boundMember(at)
  await orderWechat(at.wechat, { change: { id: 'lin', nickname: '满满', picture: 2 } })
  expect(await through(own, await personal(own, 'info', '/user/wechat'), 'lin')).toBe('/user/wechat?wechat=refresh')
  expect((await info(own))?.wechatNickname).toBe('满满')
  expect(await through(own, await personal(own, 'info', '/user/wechat'), 'chen')).toBe(
    '/user/wechat?wechat=WECHAT_STRANGER',
  )
  expect((await info(own))?.wechatNickname).toBe('满满')
})

test('D048 without a fresh ticket of this session a navigation changes nothing and returns to /user', async () => {
  const at = await ground()
  const own = await boundMember(at)
  await stepUp(t, at.site, own, own.mobile)
  const other = await signInAgain(t, at.site, own)
  const used = await personal(own, 'info')
  await own.go(used)
  const theirs = await personal(other, 'unbinding')
  const old = await personal(own, 'unbinding')
  await t.deps.pool.query("UPDATE wechat_ticket SET expires_at = now() - interval '1 second' WHERE purpose = 'ticket'")
  const fresh = await personal(own, 'unbinding')
  const unsigned = at.phone()
  for (const action of ['binding', 'unbinding', 'info', 'check']) {
    for (const address of [`/api/user/wechat/${action}`, `/api/user/wechat/${action}?ticket=x`])
      expect(await own.go(address)).toBe('/user')
  }
  for (const address of [used, theirs, old]) expect(await own.go(address)).toBe('/user')
  expect(await unsigned.go(fresh)).toBe('/user')
  expect((await info(own))?.wechatOpenId).not.toBeNull()
})

test('a ticket is good for one of many at once', async () => {
  const at = await ground()
  const own = await member(t, at.site)
  const address = await personal(own, 'binding')
  const ends = await Promise.all(times(8, () => own.go(address)))
  expect(ends.filter((end) => end.includes('/connect/oauth2/'))).toHaveLength(1)
  expect(ends.filter((end) => end === '/user')).toHaveLength(7)
})

test('a ticket of a session that has ended is of no use to the next one in the same browser', async () => {
  const at = await ground()
  const own = await member(t, at.site)
  const former = await personal(own, 'binding')
  await own.call(logout)
  await own.call(loginByPassword, { account: own.username, password })
  expect(await own.go(former)).toBe('/user')
  expect(await own.go(await personal(own, 'binding'))).toContain('/connect/oauth2/')
})

test('S374 unbinding takes the way in away, after a check', async () => {
  const at = await ground()
  const own = await boundMember(at)
  expect(await own.go(await personal(own, 'unbinding'))).toBe('/user/wechat?wechat=TWO_FACTOR_REQUIRED')
  await stepUp(t, at.site, own, own.mobile)
  const former = new Map(own.cookies)
  expect(await own.go(await personal(own, 'unbinding'))).toBe('/user/wechat?wechat=unbind')
  expect(await info(own)).toMatchObject({ wechatOpenId: null, wechatNickname: null, avatar: false })
  expect(own.cookies.get('__Host-hufu')).not.toBe(former.get('__Host-hufu'))
  expect(await tapAs(at.phone(), 'lin')).toBe('/login?wechat=choose')
  const { rows } = await t.deps.pool.query(
    "SELECT event FROM security_log WHERE user_id = $1 AND event LIKE 'wechat%'",
    [own.id],
  )
  expect(rows.map(({ event }) => event).sort()).toEqual(['wechat.bind', 'wechat.unbind'])
})

test('D342 a bound WeChat stays where only a texted code would be left beside an authenticator', async () => {
  const at = await ground()
  const own = await boundMember(at)
  await enrol(t.deps, at.site.id as SiteId, own.id)
  await stepUpByApp(t, own)
  await t.deps.pool.query("DELETE FROM credential WHERE user_id = $1 AND kind = 'password'", [own.id])
  expect(await own.go(await personal(own, 'unbinding'))).toBe('/user/wechat?wechat=WECHAT_LAST')
  expect((await info(own))?.wechatOpenId).not.toBeNull()
  await t.deps.pool.query('DELETE FROM totp WHERE user_id = $1', [own.id])
  expect(await own.go(await personal(own, 'unbinding'))).toBe('/user/wechat?wechat=unbind')
})

test('D019 the last way to sign in stays, by what the site offers', async () => {
  const at = await ground()
  const only = await wechatOnly(at)
  expect(await only.go(await personal(only, 'unbinding'))).toBe('/user/wechat?wechat=WECHAT_LAST')
  // A password without a login name is no way to sign in.
  expect((await only.call(changePassword, { password })).status).toBe(200)
  await t.deps.pool.query('UPDATE session SET two_factor_at = now() WHERE id = $1', [sessionOf(only)])
  expect(await only.go(await personal(only, 'unbinding'))).toBe('/user/wechat?wechat=WECHAT_LAST')
  expect((await info(only))?.wechatOpenId).not.toBeNull()
  const closed = await ground({ methods: ['wechat', 'password'] })
  const user = await createUser(t.deps, closed.site.id, { mobile: fresh.mobile() }, 'test')
  const browser = await wechatOnly(closed)
  await t.deps.pool.query(
    "UPDATE users SET mobile = '13912345678', mobile_prefix = '86' WHERE wechat_open_id IS NOT NULL AND site_id = $1",
    [closed.site.id],
  )
  expect(user).toBeDefined()
  expect(await browser.go(await personal(browser, 'unbinding'))).toBe('/user/wechat?wechat=WECHAT_LAST')
})

test('an account with nothing but WeChat counts as checked for ten minutes after a tap, not after a silent entry', async () => {
  const at = await ground()
  await wechatOnly(at)
  const silent = at.phone()
  await silentAs(silent, 'lin')
  expect((await silent.call(twoFactorState)).data).toMatchObject({ twoFactor: false, way: null })
  const tapped = at.phone()
  await tapAs(tapped, 'lin')
  expect((await tapped.call(twoFactorState)).data).toMatchObject({ twoFactor: true, way: null })
  expect(await through(silent, await personal(silent, 'check', '/user/changePassword'), 'lin')).toBe(
    '/user/changePassword',
  )
  expect((await silent.call(twoFactorState)).data).toMatchObject({ twoFactor: true, second: [] })
})

test('D123 a silent sign-in is no second proof; one that the user agreed to is', async () => {
  const at = await ground()
  const own = await boundMember(at)
  const silent = at.phone()
  await silentAs(silent, 'lin')
  await stepUp(t, at.site, silent, own.mobile)
  expect((await silent.call(twoFactorState)).data).toMatchObject({
    twoFactor: true,
    second: ['password', 'email', 'wechat'],
  })
  const tapped = at.phone()
  await tapAs(tapped, 'lin')
  expect((await tapped.call(twoFactorState)).data?.second).toEqual([])
})

test('D123 what the browser makes of the way to WeChat changes nothing: its answer says whether the user agreed', async () => {
  const at = await ground()
  await wechatOnly(at)
  const browser = at.phone()
  const quiet = async (path: string) => {
    const away = new URL(await browser.go(path))
    expect(away.searchParams.get('forcePopup')).toBe('true')
    away.searchParams.set('scope', 'snsapi_base')
    const back = await returnFromWechat(away.href, 'lin')
    return await browser.go(back.href, { 'sec-fetch-site': 'cross-site' })
  }
  expect(await quiet('/api/login/wechat?tap=1')).toBe('/user')
  expect((await browser.call(twoFactorState)).data).toMatchObject({ twoFactor: false, second: ['wechat'] })
  expect(await quiet(await personal(browser, 'check'))).toBe('/user?wechat=WECHAT_REFUSED')
  expect((await browser.call(twoFactorState)).data).toMatchObject({ twoFactor: false, second: ['wechat'] })
  expect(await through(browser, await personal(browser, 'check'), 'lin')).toBe('/user')
  expect((await browser.call(twoFactorState)).data).toMatchObject({ twoFactor: true, second: [] })
})

test('a tap is no step-up for a user with more than WeChat', async () => {
  const at = await ground()
  await boundMember(at)
  const tapped = at.phone()
  await tapAs(tapped, 'lin')
  expect((await tapped.call(twoFactorState)).data).toMatchObject({ twoFactor: false, way: 'mobile', second: [] })
})

test('in a new browser WeChat is owed where the account has it, and proves itself there', async () => {
  const at = await ground()
  const first = await t.signIn(at.site, { userAgent: phone })
  expect(await bindAs(first, 'lin')).toBe('/user')
  await t.passMinute(at.site, `+86${first.mobile}`)
  const thief = await t.signIn(at.site, { mobile: first.mobile })
  expect(thief.id).toBe(first.id)
  await stepUp(t, at.site, thief, first.mobile)
  expect((await thief.call(twoFactorState)).data).toMatchObject({ twoFactor: true, second: ['wechat'] })
  const refused = await thief.call(changeMobile, await newMobile(thief))
  expect(refused).toMatchObject({ code: 'TWO_FACTOR_REQUIRED', details: { second: ['wechat'] } })
  expect(await thief.go(await personal(thief, 'unbinding'))).toBe('/user/wechat?wechat=TWO_FACTOR_REQUIRED')
  expect(await through(thief, await personal(thief, 'check', '/user/wechat'), 'chen')).toBe(
    '/user/wechat?wechat=WECHAT_STRANGER',
  )
  expect(await through(thief, await personal(thief, 'check', '/user/changeMobile'), 'lin')).toBe('/user/changeMobile')
  expect((await thief.call(changeMobile, await newMobile(thief))).status).toBe(200)
})

test('binding needs a recent sign-in or a step-up', async () => {
  const at = await ground()
  const own = await member(t, at.site)
  await minutesAgo(own, 11)
  expect(await bindAs(own, 'lin', '/user/wechat')).toBe('/user/wechat?wechat=TWO_FACTOR_REQUIRED')
  await stepUp(t, at.site, own, own.mobile)
  expect(await bindAs(own, 'lin')).toBe('/user')
})

test('A32 a state counts once, in the browser and session that it was given to', async () => {
  const at = await ground()
  const victim = await member(t, at.site)
  const attacker = await member(t, at.site)
  const back = await returnFromWechat(await attacker.go(await personal(attacker, 'binding')), 'chen')
  expect(await victim.go(back.href, { 'sec-fetch-site': 'cross-site' })).toBe('/login?wechat=WECHAT_EXPIRED')
  expect((await info(victim))?.wechatOpenId).toBeNull()
  const away = await attacker.go(await personal(attacker, 'binding'))
  // Another user signs in in the same browser meanwhile.
  const mark = attacker.cookies.get('__Host-hufu-browser') ?? ''
  const shared = t.browser(at.site)
  shared.cookies.set('__Host-hufu-browser', mark)
  await shared.call(loginByPassword, { account: victim.username, password })
  expect(await shared.go((await returnFromWechat(away, 'chen')).href)).toBe('/user?wechat=WECHAT_EXPIRED')
  expect((await info(victim))?.wechatOpenId).toBeNull()
  const once = await returnFromWechat(await attacker.go(await personal(attacker, 'binding')), 'chen')
  expect(await attacker.go(once.href)).toBe('/user')
  expect(await attacker.go(once.href)).toBe('/login?wechat=WECHAT_EXPIRED')
})

test('A32 signing in through WeChat starts from our own pages alone', async () => {
  const at = await ground()
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': '' },
  ]
  for (const headers of foreign) expect(await at.phone().go('/api/login/wechat?tap=1', headers)).toBe('/login')
})

test('a disabled account is refused with its reason after a tap and not signed in', async () => {
  const at = await ground()
  const own = await boundMember(at)
  await changeStatus(t.deps, at.site.id, own.id as never, 'disabled', 'test')
  const browser = at.phone()
  expect(await tapAs(browser, 'lin')).toBe('/login?wechat=ACCOUNT_DISABLED')
  expect(await silentAs(browser, 'lin')).toBe('/login?wechat=back')
  expect(browser.cookies.has('__Host-hufu')).toBe(false)
})

test('WeChat away or refusing: the user sees it and stays where they are', async () => {
  const at = await ground()
  const browser = at.phone()
  await orderWechat(at.wechat, { path: '/sns/oauth2/access_token', errcode: 40125, count: 1 })
  expect(await tapAs(browser, 'lin')).toBe('/login?wechat=WECHAT_FAILED')
  await orderWechat(at.wechat, { path: '/sns/oauth2/access_token', errcode: 40163, count: 1 })
  expect(await tapAs(browser, 'lin')).toBe('/login?wechat=WECHAT_EXPIRED')
  const own = await member(t, at.site)
  await orderWechat(at.wechat, { path: '/sns/userinfo', errcode: 48001, count: 1 })
  expect(await bindAs(own, 'lin')).toBe('/user?wechat=WECHAT_FAILED')
})

test('no source leads away, at the start or at the end', async () => {
  const at = await ground({ sources: ['https://shop.example.com'] })
  await boundMember(at)
  const browser = at.phone()
  expect(await through(browser, '/api/login/wechat?source=https%3A%2F%2Fevil.example', 'lin')).toBe('/user')
  const shop = encodeURIComponent('https://shop.example.com/cart?x=1')
  expect(await through(at.phone(), `/api/login/wechat?source=${shop}`, 'lin')).toBe('https://shop.example.com/cart?x=1')
})

test('a picture that comes after the binding is gone is dropped', async () => {
  const at = await ground()
  const own = await boundMember(at)
  await stepUp(t, at.site, own, own.mobile)
  await own.go(await personal(own, 'unbinding'))
  await runAvatarJobs(at.site)
  expect((await info(own))?.avatar).toBe(false)
  const { rows } = await t.deps.pool.query('SELECT 1 FROM blob WHERE owner_id = $1', [own.id])
  expect(rows).toEqual([])
})

test('a number that changed hands is not opened by a nickname where the account has WeChat', async () => {
  const at = await ground()
  const own = await t.signIn(at.site, { userAgent: phone })
  await bindAs(own, 'lin')
  await t.deps.pool.query("UPDATE identity SET proved_at = now() - interval '91 days' WHERE user_id = $1", [own.id])
  await t.passMinute(at.site, `+86${own.mobile}`)
  const next = t.browser(at.site)
  await next.call(sendMobileCode, { mobilePrefix: '86', mobile: own.mobile })
  const code = await codeTo(own.mobile)
  const asked = await next.call(loginByMobile, { mobilePrefix: '86', mobile: own.mobile, code })
  expect(asked.code).toBe('LOGIN_CONFIRM')
  const answer = { ticket: asked.details.ticket, mine: true, sure: true }
  expect(await next.call(confirmLogin, answer)).toMatchObject({
    code: 'LOGIN_PROOF_NEEDED',
    details: { proofs: ['wechat'] },
  })
})
