import { randomUUID } from 'node:crypto'
import { replyFeedback, sendFeedback } from '@hufu/contract/feedback'
import { loadWechatMenu, merchantWechatToken } from '@hufu/contract/merchant-wechat'
import type { SiteConfig } from '@hufu/contract/site'
import { merchantHome } from '@hufu/contract/statistics'
import { sendEmailCode, sendMobileCode } from '@hufu/contract/verify-code'
import { wechatTicket } from '@hufu/contract/wechat'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoSms } from '../../../tools/simulators/demo-gateways.ts'
import { freePort } from '../../../tools/stores/ports.ts'
import { feedbackNoticeJob } from '../src/features/feedback/feedback-notices.ts'
import { loginNoticeJob } from '../src/features/security/login-notices.ts'
import { type Job, startJobs } from '../src/platform/jobs/jobs.ts'
import { mailNoticeJob, queueMail } from '../src/shared/notices/mail-notices.ts'
import { queueSms, smsNoticeJob } from '../src/shared/notices/sms-notices.ts'
import { member, signInAgain } from './account-user.ts'
import { deliveryFailuresOf } from './delivery-failures.ts'
import { makeOperator } from './enrolled.ts'
import { checked } from './operator.ts'
import { fresh, startTestApp, type TestApp, type TestBrowser, type TestSite } from './test-app.ts'
import { newWechat, orderWechat, returnFromWechat } from './wechat-phone.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

/** Every gateway of the site refuses: it doesn't know these secrets. */
const refusingSms = { gateways: demoSms.gateways.map((gateway) => ({ ...gateway, secret: 'wrong' })) }

async function newOperator(site: TestSite) {
  const user = await member(t, site)
  await makeOperator(t.deps, site.id, user.id, ['READ', 'WRITE', 'ADMIN'])
  await checked(t, user)
  return user
}

test('a code that no gateway took; none where one of them did', async () => {
  const [good, , second] = [...refusingSms.gateways, ...demoSms.gateways.slice(1)]
  const half = await t.codeSite({ sms: { gateways: [good, second].flatMap((one) => one ?? []) } })
  const bad = await t.codeSite({ sms: refusingSms })
  const ask = (site: TestSite) => t.call(site, sendMobileCode, { mobilePrefix: '86', mobile: fresh.mobile() })
  expect((await ask(half)).status).toBe(200)
  expect(await deliveryFailuresOf(t, half)).toEqual({})
  expect((await ask(bad)).code).toBe('CODE_SEND_FAILED')
  await Promise.all([ask(bad), ask(bad)])
  expect(await deliveryFailuresOf(t, bad)).toEqual({ smsFailed: [3, null] })
})

test('a mailed code that was refused', async () => {
  const site = await t.codeSite({ mail: { host: '127.0.0.1', port: await freePort(), from: 'a@example.com' } })
  const user = await member(t, site)
  await user.call(sendEmailCode, { email: fresh.email(), type: 'authorize' })
  expect(await deliveryFailuresOf(t, site)).toEqual({ mailFailed: [1, null] })
})

/** Works as a worker does until nothing of the site is left in the queues. */
async function work(site: TestSite, jobs: Job[]) {
  const worker = await startJobs(t.deps.config, t.deps.log, jobs)
  const left = async () => {
    const { rows } = await t.deps.pool.query(
      "SELECT count(*)::int AS n FROM pgboss.job WHERE data->>'siteId' = $1 AND state < 'completed'",
      [site.id],
    )
    return rows[0].n
  }
  await expect.poll(left, { timeout: 15_000 }).toBe(0)
  await worker.stop()
}

test('a mail is given up with its last try and not before; one without a mail server at once', async () => {
  const refusing = { host: '127.0.0.1', port: await freePort(), from: 'a@example.com' }
  const [site, without] = [await t.codeSite({ mail: refusing }), await t.site()]
  const notice = { to: fresh.email(), subject: '通知', text: '通知' }
  await queueMail(t.deps.db, { ...notice, siteId: site.id })
  await queueMail(t.deps.db, { ...notice, siteId: without.id })
  const job = mailNoticeJob(t.deps)
  await t.deps.pool.query("UPDATE pgboss.job SET retry_limit = 1, retry_backoff = false WHERE data->>'siteId' = $1", [
    site.id,
  ])
  let tries = 0
  const seen: object[] = []
  async function run(data: unknown) {
    if ((data as { siteId: string }).siteId === site.id && tries++ > 0) seen.push(await deliveryFailuresOf(t, site))
    await job.run(data)
  }
  await work(site, [{ ...job, run }])
  expect([tries, seen]).toEqual([2, [{}]])
  expect(await deliveryFailuresOf(t, site)).toEqual({ mailFailed: [1, null] })
  expect(await deliveryFailuresOf(t, without)).toEqual({ mailFailed: [1, null] })
})

test('a text that no gateway took, and one that waited three days for a budget', async () => {
  const [site, spent] = [await t.codeSite({ sms: refusingSms }), await t.codeSite({ limits: { siteDay: 0 } })]
  const notice = { prefix: '86', mobile: fresh.mobile(), time: '11月15日 17:00', event: '修改了登录密码' }
  await queueSms(t.deps.db, { ...notice, siteId: site.id })
  await work(site, [smsNoticeJob(t.deps)])
  expect(await deliveryFailuresOf(t, site)).toEqual({ smsFailed: [1, null] })
  await smsNoticeJob(t.deps).run({ ...notice, siteId: spent.id })
  expect(await deliveryFailuresOf(t, spent)).toEqual({})
  await smsNoticeJob(t.deps).run({ ...notice, siteId: spent.id, waited: 72 * 3_600 })
  expect(await deliveryFailuresOf(t, spent)).toEqual({ smsFailed: [1, null] })
})

test('WeChat gives no token; callers that get the same answer again count no more', async () => {
  const account = await newWechat()
  const site = await t.codeSite({ wechat: { ...account, secret: 'b'.repeat(32) } })
  const operator = await newOperator(site)
  for (const _ of [1, 2, 3]) expect((await operator.call(merchantWechatToken)).code).toBe('WECHAT_CALL_REFUSED')
  const { wechat } = await deliveryFailuresOf(t, site)
  expect(wechat).toEqual([1, 40_125])
  const { data } = await operator.call(merchantHome)
  expect(data?.attention).toEqual([{ kind: 'wechat', errcode: 40_125, time: expect.any(Number) }])
})

test('WeChat refuses a call: an address, a permission, a quota; not what is no matter of operators', async () => {
  const account = await newWechat()
  const site = await t.codeSite({ wechat: { ...account } })
  const operator = await newOperator(site)
  const path = '/cgi-bin/get_current_selfmenu_info'
  async function refuse(errcode: number, count = 1) {
    await orderWechat(account, { path, errcode, count })
    await operator.call(loadWechatMenu)
    return (await deliveryFailuresOf(t, site)).wechat
  }
  expect(await refuse(46_003)).toBeUndefined()
  // A token that is void once is fetched anew.
  expect(await refuse(40_001)).toBeUndefined()
  expect(await refuse(48_001)).toEqual([1, 48_001])
  expect(await refuse(45_009)).toEqual([2, 45_009])
  expect(await refuse(40_001, 2)).toEqual([3, 40_001])
  await orderWechat(account, { voidToken: true, path: '/cgi-bin/stable_token', errcode: 40_164, count: 1 })
  await operator.call(loadWechatMenu)
  expect((await deliveryFailuresOf(t, site)).wechat).toEqual([4, 40_164])
})

async function bind(user: TestBrowser, who = 'lin') {
  const { data: ticket } = await user.call(wechatTicket)
  const away = await user.go(`/api/user/wechat/binding?ticket=${ticket}`)
  await user.go((await returnFromWechat(away, who)).href, { 'sec-fetch-site': 'cross-site' })
}

test('a sign-in that WeChat refuses for the site, by code and by profile; not for the code itself', async () => {
  const account = await newWechat()
  const site = await t.codeSite({ wechat: { ...account } })
  async function refused(path: string, errcode: number) {
    await orderWechat(account, { path, errcode, count: 1 })
    await bind(await member(t, site))
    return (await deliveryFailuresOf(t, site)).wechat
  }
  expect(await refused('/sns/oauth2/access_token', 40_029)).toBeUndefined()
  expect(await refused('/sns/oauth2/access_token', 40_164)).toEqual([1, 40_164])
  expect(await refused('/sns/userinfo', 48_001)).toEqual([2, 48_001])
})

const template = {
  templateId: 'iPk5sOIt5X_flOVKn5GrTFpncEYTojx6ddbt8WYoV5s',
  fields: { character_string1: 'reference', thing2: 'reply', time3: 'time' },
} as const

async function jobsOf(name: string, site: TestSite): Promise<unknown[]> {
  const { rows } = await sql<{ data: unknown }>`DELETE FROM pgboss.job WHERE name = ${name}
    AND data->>'siteId' = ${site.id} RETURNING data`.execute(t.deps.db)
  return rows.map(({ data }) => data)
}

const sendPath = '/cgi-bin/message/template/send'

test('a reply that WeChat did not take; a user who does not follow the account is no failure', async () => {
  const account = await newWechat()
  const config: SiteConfig = { wechat: { ...account }, notices: { feedback: { wechat: template } } }
  const site = await t.codeSite(config)
  const [operator, user] = [await newOperator(site), await member(t, site)]
  await bind(user)
  const { data } = await user.call(sendFeedback, { message: '收不到验证码' })
  async function tell(errcode: number) {
    await orderWechat(account, { path: sendPath, errcode, count: 1 })
    await t.deps.pool.query('UPDATE feedback SET user_told_at = NULL WHERE site_id = $1', [site.id])
    await operator.call(replyFeedback, { id: data?.id ?? '', message: randomUUID() })
    for (const job of await jobsOf('feedback-notice', site)) await feedbackNoticeJob(t.deps).run(job)
    return await deliveryFailuresOf(t, site)
  }
  expect(await tell(43_004)).toEqual({})
  expect(await tell(40_037)).toEqual({ wechatNoticeFailed: [1, null] })
  expect(await tell(48_001)).toEqual({ wechatNoticeFailed: [2, null], wechat: [1, 48_001] })
})

test('a sign-in that WeChat did not answer', async () => {
  const account = await newWechat()
  const login = { wechat: { templateId: template.templateId, fields: { thing2: 'device', time3: 'time' } } } as const
  const site = await t.codeSite({ wechat: { ...account }, notices: { login } })
  const user = await member(t, site)
  await bind(user)
  await jobsOf('login-notice', site)
  await orderWechat(account, { path: sendPath, errcode: 40_037, count: 1 })
  await signInAgain(t, site, user)
  const queued = await jobsOf('login-notice', site)
  expect(queued).toHaveLength(1)
  for (const job of queued) await loginNoticeJob(t.deps).run(job)
  expect(await deliveryFailuresOf(t, site)).toEqual({ wechatNoticeFailed: [1, null] })
})
