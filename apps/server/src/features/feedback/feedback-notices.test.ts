import { readFeedback, replyFeedback, seeFeedback, sendFeedback } from '@hufu/contract/feedback'
import { referenceOf } from '@hufu/contract/feedback-rules'
import { userInfo } from '@hufu/contract/profile'
import type { SiteConfig } from '@hufu/contract/site'
import { wechatTicket } from '@hufu/contract/wechat'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { member } from '../../../test/account-user.ts'
import { makeOperator } from '../../../test/enrolled.ts'
import { messagesTo, startTestApp, type TestApp, type TestBrowser, type TestSite } from '../../../test/test-app.ts'
import { newWechat, orderWechat, returnFromWechat } from '../../../test/wechat-phone.ts'
import { mailNoticeJob } from '../../shared/notices/mail-notices.ts'
import { smsNoticeJob } from '../../shared/notices/sms-notices.ts'
import { feedbackNoticeJob } from './feedback-notices.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

interface Ground {
  site: TestSite
  operator: TestBrowser
}

async function ground(config: SiteConfig = {}): Promise<Ground> {
  const site = await t.codeSite(config)
  const operator = await member(t, site)
  await makeOperator(t.deps, site.id, operator.id, ['READ', 'WRITE'])
  return { site, operator }
}

async function talk({ site, operator }: Ground, names = {}) {
  const user = await member(t, site, names)
  const { data } = await user.call(sendFeedback, { message: '收不到验证码' })
  const id = data?.id ?? ''
  const reply = async (message = '已为您重发，请查收') => {
    const sent = await operator.call(replyFeedback, { id, message })
    return sent.data?.seq ?? 0
  }
  return { user, id, reply }
}

/** Runs the jobs that a worker would have run by now. */
async function work({ site }: Ground): Promise<number> {
  const jobs = async (name: string) => {
    const { rows } = await t.deps.pool.query(
      `DELETE FROM pgboss.job WHERE name = $1 AND data->>'siteId' = $2 RETURNING data, start_after > now() AS later`,
      [name, site.id],
    )
    return rows as { data: unknown; later: boolean }[]
  }
  const tellings = await jobs('feedback-notice')
  expect(tellings.every(({ later }) => later)).toBe(true)
  for (const { data } of tellings) await feedbackNoticeJob(t.deps).run(data)
  for (const { data } of await jobs('mail-notice')) await mailNoticeJob(t.deps).run(data)
  for (const { data } of await jobs('sms-notice')) await smsNoticeJob(t.deps).run(data)
  return tellings.length
}

test('an unread reply is announced by mail, with its number, its beginning and the link', async () => {
  const at = await ground()
  const { user, id, reply } = await talk(at)
  await reply()
  await work(at)
  const [mail] = await messagesTo(user.email)
  expect(mail).toMatchObject({ channel: 'mail', subject: `您的反馈有新回复（编号 ${referenceOf(id)}）` })
  expect(mail?.text).toContain('已为您重发，请查收')
  expect(mail?.text).toContain(`${at.site.origin}/user/feedback/${id}`)
})

test('what was read in time causes no notice', async () => {
  const at = await ground()
  const { user, id, reply } = await talk(at)
  await user.call(seeFeedback, { id, seq: await reply() })
  await work(at)
  expect(await messagesTo(user.email)).toEqual([])
})

test('one notice a conversation and quiet period, however many replies and however often the job runs', async () => {
  const at = await ground()
  const { user, id, reply } = await talk(at)
  for (const message of ['一', '二', '三']) await reply(message)
  const { rows } = await t.deps.pool.query(
    "SELECT data FROM pgboss.job WHERE name = 'feedback-notice' AND data->>'id' = $1",
    [id],
  )
  expect(rows).toHaveLength(3)
  await Promise.all(rows.map(({ data }) => feedbackNoticeJob(t.deps).run(data)))
  await work(at)
  expect(await messagesTo(user.email)).toHaveLength(1)
  await reply('四')
  expect(await work(at)).toBe(0)
  await t.deps.pool.query("UPDATE feedback SET user_told_at = now() - interval '61 minutes' WHERE id = $1", [id])
  await reply('五')
  await work(at)
  expect(await messagesTo(user.email)).toHaveLength(2)
})

test('the site chooses the ways; none turns it off, a text needs a template of its own', async () => {
  const off = await ground({ notices: { feedback: { ways: [] } } })
  const quiet = await talk(off)
  await quiet.reply()
  expect(await work(off)).toBe(0)
  const texts = await ground({ notices: { feedback: { ways: ['sms', 'mail'] } } })
  const { user, reply } = await talk(texts)
  await reply()
  await work(texts)
  expect((await messagesTo(user.mobile)).length).toBe(0)
  expect(await messagesTo(user.email)).toHaveLength(1)
})

test('users without any of the channels get no notice, and the reply waits for them', async () => {
  const at = await ground()
  const { user, id, reply } = await talk(at, { email: undefined })
  await reply()
  await work(at)
  expect((await user.call(readFeedback, { id })).data?.unread).toBe(true)
})

test('operators are notified by mail of what users write, without the text', async () => {
  const inbox = `service-${Date.now()}@example.com`
  const at = await ground({ notices: { feedback: { operators: [inbox] } } })
  const { user, id } = await talk(at)
  await user.call(sendFeedback, { id, message: '还在吗' })
  await work(at)
  const mails = await messagesTo(inbox)
  expect(mails).toHaveLength(1)
  expect(mails[0]?.text).toContain(`${at.site.origin}/merchant/feedback/${id}`)
  expect(mails[0]?.text).not.toContain('收不到')
})

/** One of those that the simulated account has. */
const template = {
  templateId: 'iPk5sOIt5X_flOVKn5GrTFpncEYTojx6ddbt8WYoV5s',
  fields: { character_string1: 'reference', thing2: 'reply', time3: 'time' },
} as const

async function bind(user: TestBrowser, who: string) {
  const { data: ticket } = await user.call(wechatTicket)
  const away = await user.go(`/api/user/wechat/binding?ticket=${ticket}`)
  await user.go((await returnFromWechat(away, who)).href, { 'sec-fetch-site': 'cross-site' })
}

test('a user with a bound WeChat is notified there; where WeChat refuses, by mail', async () => {
  const account = await newWechat()
  const at = await ground({ wechat: { ...account }, notices: { feedback: { wechat: template } } })
  const { user, id, reply } = await talk(at)
  await bind(user, 'lin')
  await orderWechat(account, { path: '/cgi-bin/message/template/send', errcode: 43004, count: 1 })
  await reply()
  await work(at)
  // The one about the binding, and this.
  expect(await messagesTo(user.email)).toHaveLength(2)
  await t.deps.pool.query('UPDATE feedback SET user_told_at = NULL WHERE id = $1', [id])
  await reply('第二次回复，比二十个字要长得多得多得多得多')
  await work(at)
  expect(await messagesTo(user.email)).toHaveLength(2)
  const openid = (await user.call(userInfo)).data?.wechatOpenId ?? ''
  const [told, ...more] = await messagesTo(openid)
  expect(more).toEqual([])
  expect(told?.text).toContain(`订单号:${referenceOf(id)}\n商品名称:第二次回复，比二十个字要长得多得多得多`)
})
