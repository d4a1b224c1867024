import { randomBytes } from 'node:crypto'
import { loginByPassword, logout } from '@hufu/contract/login'
import { userInfo } from '@hufu/contract/profile'
import { disownNoticedSignIn, readNoticedSignIn } from '@hufu/contract/security'
import type { SiteConfig } from '@hufu/contract/site'
import { wechatTicket } from '@hufu/contract/wechat'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Member, member, password, signInAgain, type Without } from '../../../test/account-user.ts'
import {
  messagesTo,
  startTestApp,
  type TestApp,
  type TestBrowser,
  type TestSite,
  times,
} from '../../../test/test-app.ts'
import { newWechat, orderWechat, returnFromWechat, wechatCounts } from '../../../test/wechat-phone.ts'
import { sha256 } from '../../platform/crypto/hash.ts'
import { mailNoticeJob } from '../../shared/notices/mail-notices.ts'
import { smsNoticeJob } from '../../shared/notices/sms-notices.ts'
import { tokenKeys } from '../../shared/wechat-token/wechat-token.store.ts'
import { loginNoticeJob } from './login-notices.ts'

let t: TestApp
let site: TestSite
beforeAll(async () => {
  t = await startTestApp()
  site = await t.codeSite({ name: '青屿生活' })
})
afterAll(() => t.close())

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

async function jobsOf(name: string, at: TestSite): Promise<unknown[]> {
  const { rows } = await t.deps.pool.query(
    `DELETE FROM pgboss.job WHERE name = $1 AND data->>'siteId' = $2 RETURNING data`,
    [name, at.id],
  )
  return rows.map(({ data }) => data)
}

/** Runs the jobs that a worker would have run by now; how many sign-ins there were to announce. */
async function work(at = site): Promise<number> {
  const queued = await jobsOf('login-notice', at)
  for (const data of queued) await loginNoticeJob(t.deps).run(data)
  for (const data of await jobsOf('mail-notice', at)) await mailNoticeJob(t.deps).run(data)
  for (const data of await jobsOf('sms-notice', at)) await smsNoticeJob(t.deps).run(data)
  return queued.length
}

async function stranger({ username }: Member, at = site): Promise<TestBrowser> {
  const browser = t.browser(at, { userAgent: chrome, address: '120.24.78.68' })
  await browser.call(loginByPassword, { account: username, password })
  return browser
}

const tokenIn = (text = '') => /\/disown\/([\w-]{43})(?![\w-])/.exec(text)?.[1] ?? ''

/** A sign-in to a user's account, and the link that was mailed. */
async function noticed(at = site) {
  const user = await member(t, at)
  const thief = await stranger(user, at)
  await work(at)
  const token = tokenIn((await messagesTo(user.email))[0]?.text)
  return { user, thief, token }
}

test('a new browser is announced by mail, with time, device, IP region and the link of the site itself', async () => {
  const { user, token } = await noticed()
  const [mail, ...more] = await messagesTo(user.email)
  expect(more).toEqual([])
  expect(mail).toMatchObject({ channel: 'mail', subject: '您的账号在新设备上登录' })
  expect(mail?.text).toMatch(
    /时间：\d+月\d+日 \d{2}:\d{2}\n设备：Chrome 141，Windows\n地点：广东省 深圳市（120\.24\.78\.68）/,
  )
  expect(mail?.text).toContain('如果是您本人，无需操作。')
  expect(mail?.text).toContain(`${site.origin}/disown/${token}\n`)
  expect(await messagesTo(user.mobile)).toEqual([])
  const { rows } = await t.deps.pool.query('SELECT * FROM notice_link WHERE user_id = $1', [user.id])
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain(token)
})

test('a new account, a first sign-in and a browser that is known are no new device', async () => {
  const own = await t.codeSite()
  await t.signIn(own)
  const user = await member(t, own)
  expect(await work(own)).toBe(0)
  await user.call(loginByPassword, { account: user.username, password })
  expect(await work(own)).toBe(0)
  await signInAgain(t, own, user)
  expect(await work(own)).toBe(1)
})

test('one notice a sign-in, however often the job runs and however many run at once', async () => {
  const own = await t.codeSite()
  const user = await member(t, own)
  await stranger(user, own)
  const [data] = await jobsOf('login-notice', own)
  await Promise.all(times(5, () => loginNoticeJob(t.deps).run(data)))
  await loginNoticeJob(t.deps).run(data)
  const mails = await jobsOf('mail-notice', own)
  expect(mails).toHaveLength(1)
  for (const _ of times(2, () => 0)) await mailNoticeJob(t.deps).run(mails[0])
  const arrived = (await messagesTo(user.email)) as { messageId?: string }[]
  expect(arrived).toHaveLength(2)
  expect(new Set(arrived.map(({ messageId }) => messageId)).size).toBe(1)
})

test('two new browsers are two notices', async () => {
  const user = await member(t, site)
  await Promise.all([stranger(user), stranger(user)])
  await work()
  expect(await messagesTo(user.email)).toHaveLength(2)
})

/** One of those that the simulated account has. */
const template = {
  templateId: 'iPk5sOIt5X_flOVKn5GrTFpncEYTojx6ddbt8WYoV5s',
  fields: { character_string1: 'place', thing2: 'device', time3: 'time' },
} as const

async function wechatGround(config: SiteConfig = {}, names: Without = {}) {
  const account = await newWechat()
  const at = await t.codeSite({ wechat: { ...account }, notices: { login: { wechat: template } }, ...config })
  const user = await member(t, at, names)
  const { data: ticket } = await user.call(wechatTicket)
  const away = await user.go(`/api/user/wechat/binding?ticket=${ticket}`)
  await user.go((await returnFromWechat(away, 'lin')).href, { 'sec-fetch-site': 'cross-site' })
  const openid = (await user.call(userInfo)).data?.wechatOpenId ?? ''
  await work(at)
  const mailsBefore = (await messagesTo(user.email)).length
  const enter = async () => {
    const browser = t.browser(at, { userAgent: chrome, address: '2001:db8::7' })
    await browser.call(loginByPassword, { account: user.username, password })
    await work(at)
    return browser
  }
  const told = async () => ({
    wechat: (await messagesTo(openid)) as { text: string; url?: string }[],
    mails: (await messagesTo(user.email)).slice(0, -mailsBefore || undefined),
  })
  return { account, at, user, enter, told }
}

test('a user with a bound WeChat is notified there, and a tap leads to the same link', async () => {
  const { at, enter, told } = await wechatGround()
  const thief = await enter()
  const { wechat, mails } = await told()
  expect(mails).toEqual([])
  expect(wechat).toHaveLength(1)
  expect(wechat[0]?.text).toMatch(/^订单号:2001:db8::7\n商品名称:Chrome 141 Windows\n发货时间:\d+月\d+日 \d{2}:\d{2}$/)
  expect(wechat[0]?.url).toMatch(new RegExp(`^${at.origin}/disown/[\\w-]{43}$`))
  const token = tokenIn(wechat[0]?.url)
  expect((await t.call(at, disownNoticedSignIn, { token })).status).toBe(200)
  expect((await thief.call(userInfo)).code).toBe('SESSION_REMOVED')
})

test('where WeChat refuses, the mail follows and its link works; where it gives no token too', async () => {
  const { account, at, enter, told } = await wechatGround()
  await orderWechat(account, { path: '/cgi-bin/message/template/send', errcode: 43004, count: 1 })
  await enter()
  const refused = await told()
  expect(refused.wechat).toEqual([])
  expect(refused.mails).toHaveLength(1)
  expect((await t.call(at, readNoticedSignIn, { token: tokenIn(refused.mails[0]?.text) })).status).toBe(200)
  const sends = async () => (await wechatCounts(account))['/cgi-bin/message/template/send'] ?? 0
  const before = await sends()
  const { token } = tokenKeys(at.id, account.appId)
  await t.deps.redis.del(token)
  await orderWechat(account, { path: '/cgi-bin/stable_token', errcode: 40125, count: 5 })
  await enter()
  expect((await told()).mails).toHaveLength(2)
  expect(await sends()).toBe(before)
})

test('after silence of WeChat nothing else is sent: it may have arrived', async () => {
  const { account, enter, told } = await wechatGround()
  await orderWechat(account, { path: '/cgi-bin/message/template/send', errcode: -1, count: 1 })
  await enter()
  expect((await told()).mails).toEqual([])
})

test('without an address the number is texted, without a link, and at most three times a day', async () => {
  const user = await member(t, site, { email: undefined })
  for (const _ of times(12, () => 0)) await stranger(user)
  const queued = await jobsOf('login-notice', site)
  expect(queued).toHaveLength(12)
  await Promise.all(queued.map((data) => loginNoticeJob(t.deps).run(data)))
  await work()
  const texts = await messagesTo(user.mobile)
  expect(texts).toHaveLength(3)
  expect(texts[0]?.text).toMatch(
    /您的账号于\d+月\d+日 \d{2}:\d{2}在新设备上登录。如非本人操作，请尽快登录并修改密码。$/,
  )
  await t.deps.pool.query("UPDATE notice_link SET expires_at = expires_at - interval '25 hours' WHERE user_id = $1", [
    user.id,
  ])
  const about = sha256(`86 ${user.mobile} 在新设备上登录`).toString('base64url')
  await t.deps.redis.del(`{notice:${site.id}:${about}}`)
  await stranger(user)
  await work()
  expect(await messagesTo(user.mobile)).toHaveLength(4)
})

test('nor does a WeChat that refuses make more texts than that', async () => {
  const { account, user, enter } = await wechatGround({}, { email: undefined })
  await orderWechat(account, { path: '/cgi-bin/message/template/send', errcode: 43004, count: 9 })
  for (const _ of times(5, () => 0)) await enter()
  expect((await messagesTo(user.mobile)).filter(({ text }) => text.includes('新设备'))).toHaveLength(3)
})

test('the site chooses the channels; where none is allowed, or none reaches the user, nothing is sent', async () => {
  const texts = await t.codeSite({ notices: { login: { ways: ['sms', 'mail'] } } })
  const user = await member(t, texts)
  await stranger(user, texts)
  await work(texts)
  expect(await messagesTo(user.email)).toEqual([])
  expect(await messagesTo(user.mobile)).toHaveLength(1)
  for (const own of [await t.codeSite({ notices: { login: { ways: [] } } }), await t.site()]) {
    const quiet = await member(t, own)
    await stranger(quiet, own)
    expect(await work(own)).toBe(0)
  }
  const hermit = await member(t, site, { email: undefined, mobile: undefined })
  await stranger(hermit)
  expect(await work()).toBe(1)
  const { rows } = await t.deps.pool.query('SELECT FROM notice_link WHERE user_id = $1', [hermit.id])
  expect(rows).toEqual([])
})

test('a user who was disabled meanwhile gets no notice', async () => {
  const user = await member(t, site)
  await stranger(user)
  await t.deps.pool.query("UPDATE users SET status = 'disabled' WHERE id = $1", [user.id])
  await work()
  expect(await messagesTo(user.email)).toEqual([])
})

test('the link shows the sign-in without being spent, also when its page is opened', async () => {
  const { thief, token } = await noticed()
  const reader = t.browser(site)
  const expected = {
    time: expect.any(Number),
    browser: 'Chrome 141',
    os: 'Windows',
    ip: '120.24.78.68',
    region: '广东省 深圳市',
    live: true,
  }
  for (const _ of times(2, () => 0)) expect((await reader.call(readNoticedSignIn, { token })).data).toEqual(expected)
  await reader.go(`/disown/${token}`, { 'sec-fetch-site': 'cross-site' })
  expect((await thief.call(userInfo)).status).toBe(200)
  await thief.call(logout)
  expect((await reader.call(readNoticedSignIn, { token })).data).toEqual({ ...expected, live: false })
})

test('disowned from the notice the session ends within the call, none begins and the browser is unknown', async () => {
  const { user, thief, token } = await noticed()
  const reader = t.browser(site, { address: '120.24.78.70' })
  // In the cache by now.
  expect((await thief.call(userInfo)).status).toBe(200)
  const answer = await reader.call(disownNoticedSignIn, { token })
  expect(answer).toMatchObject({ status: 200, data: null })
  expect(answer.headers['set-cookie']).toBeUndefined()
  expect(reader.cookies.size).toBe(0)
  expect((await thief.call(userInfo)).code).toBe('SESSION_REMOVED')
  expect((await user.call(userInfo)).status).toBe(200)
  const { rows } = await t.deps.pool.query(
    "SELECT detail, host(address) AS address FROM security_log WHERE user_id = $1 AND event = 'login.disowned'",
    [user.id],
  )
  expect(rows).toEqual([{ detail: { session: expect.any(String) }, address: '120.24.78.70' }])
  // Coming back, that browser is a new device again.
  await thief.call(loginByPassword, { account: user.username, password })
  expect(await work()).toBe(1)
  expect(await messagesTo(user.email)).toHaveLength(2)
})

test('five at once: one succeeds, and spent, expired, unknown and foreign links are answered alike', async () => {
  const { user, token } = await noticed()
  const answers = await Promise.all(times(5, () => t.call(site, disownNoticedSignIn, { token })))
  expect(answers.map(({ code }) => code ?? 'done').sort()).toEqual([...times(4, () => 'NOTICE_EXPIRED'), 'done'])
  const { rowCount } = await t.deps.pool.query(
    "SELECT FROM security_log WHERE user_id = $1 AND event = 'login.disowned'",
    [user.id],
  )
  expect(rowCount).toBe(1)
  const late = await noticed()
  const foreign = await noticed(await t.codeSite())
  await t.deps.pool.query("UPDATE notice_link SET expires_at = expires_at - interval '7 days' WHERE user_id = $1", [
    late.user.id,
  ])
  const told: object[] = []
  for (const bad of [token, late.token, foreign.token, randomBytes(32).toString('base64url')]) {
    for (const call of [readNoticedSignIn, disownNoticedSignIn]) {
      const { status, code, message, details } = await t.call(site, call, { token: bad })
      told.push({ status, code, message, details })
    }
  }
  expect(told).toEqual(times(8, () => told[0]))
  expect(told[0]).toMatchObject({ status: 410, code: 'NOTICE_EXPIRED' })
  for (const { thief } of [late, foreign]) expect((await thief.call(userInfo)).status).toBe(200)
  expect((await t.call(site, readNoticedSignIn, { token: 'x' })).code).toBe('INPUT_INVALID')
})

test('a link of another purpose disowns nothing', async () => {
  const { thief, user, token } = await noticed()
  await t.deps.pool.query("UPDATE notice_link SET purpose = 'recovery' WHERE user_id = $1", [user.id])
  expect((await t.call(site, disownNoticedSignIn, { token })).code).toBe('NOTICE_EXPIRED')
  expect((await thief.call(userInfo)).status).toBe(200)
})

const textsTo = async (users: Member[]) => (await Promise.all(users.map(({ mobile }) => messagesTo(mobile)))).flat()

test('A09 texts are booked on the budgets of codes; what goes beyond them waits for the next day', async () => {
  const own = await t.codeSite({ limits: { siteDay: 3, prefixDay: 100 } })
  const users = await Promise.all(times(4, () => member(t, own, { email: undefined })))
  for (const user of users) await stranger(user, own)
  await work(own)
  // Three tenths are kept for codes to known numbers.
  expect(await textsTo(users)).toHaveLength(2)
  expect(t.log.join('')).toContain('the budget for codes runs out')
  const { rows } = await t.deps.pool.query(
    `SELECT start_after > now() + interval '23 hours' AS later FROM pgboss.job WHERE name = 'sms-notice' AND data->>'siteId' = $1`,
    [own.id],
  )
  expect(rows).toEqual([{ later: true }, { later: true }])
  await t.deps.redis.del(`{code:${own.id}:s}`)
  await t.deps.pool.query("UPDATE send_budget SET ends_at = now() - interval '1 second' WHERE site_id = $1", [own.id])
  await work(own)
  expect(await textsTo(users)).toHaveLength(4)
})

test('a text that could not be sent for three days is given up', async () => {
  const own = await t.codeSite({ limits: { siteDay: 0 } })
  const notice = { siteId: own.id, prefix: '86', mobile: '13800138000', time: '', event: '', waited: 72 * 3_600 }
  await smsNoticeJob(t.deps).run(notice)
  expect(await jobsOf('sms-notice', own)).toEqual([])
  await smsNoticeJob(t.deps).run({ ...notice, waited: 0 })
  expect(await jobsOf('sms-notice', own)).toHaveLength(1)
})

test('a number gets the same notice three times a day, and another one beside it', async () => {
  const own = await t.codeSite()
  const user = await member(t, own, { email: undefined })
  const told = { siteId: own.id, prefix: '86', mobile: user.mobile, time: '11月15日 17:00' }
  for (const _ of times(5, () => 0)) await smsNoticeJob(t.deps).run({ ...told, event: '申请了注销' })
  expect(await textsTo([user])).toHaveLength(3)
  await smsNoticeJob(t.deps).run({ ...told, event: '申请更换手机号' })
  expect(await textsTo([user])).toHaveLength(4)
  const booked = Number(await t.deps.redis.get(`{code:${own.id}:s}`))
  expect(booked).toBe(4)
})

test('what a gateway refuses is given back to the budget', async () => {
  const own = await t.codeSite({ sms: {} })
  const notice = { siteId: own.id, prefix: '86', mobile: '13800138000', time: '', event: '' }
  await expect(smsNoticeJob(t.deps).run(notice)).rejects.toThrow('refused')
  expect(Number(await t.deps.redis.get(`{code:${own.id}:s}`))).toBe(0)
})

test('mails of new devices are ten a day at most', async () => {
  const own = await t.codeSite()
  const user = await member(t, own)
  for (const _ of times(12, () => 0)) await stranger(user, own)
  await work(own)
  expect(await messagesTo(user.email)).toHaveLength(10)
})
