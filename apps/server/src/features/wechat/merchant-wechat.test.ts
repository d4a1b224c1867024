import { randomUUID } from 'node:crypto'
import {
  changeWechatMenu,
  loadMessageTemplates,
  loadWechatMenu,
  merchantWechatToken,
  sendWechatMessage,
} from '@hufu/contract/merchant-wechat'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { timeLimit } from '../../../../../tools/checks/time-limit.ts'
import { makeOperator } from '../../../test/enrolled.ts'
import {
  messagesTo,
  startTestApp,
  type TestApp,
  type TestBrowser,
  type TestSite,
  times,
} from '../../../test/test-app.ts'
import { newWechat, openidOf, orderWechat, type WechatAccount, wechatCounts } from '../../../test/wechat-phone.ts'
import type { UserId } from '../../platform/ids.ts'
import { withoutStepUp } from '../../shared/step-up/authority.ts'
import { giveName } from '../users/users.store.ts'

let t: TestApp
let wechat: WechatAccount
let site: TestSite
let operator: TestBrowser & { id: string }

beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())
beforeEach(async () => {
  wechat = await newWechat()
  site = await t.codeSite({ wechat })
  operator = await appoint('READ', 'WRITE', 'ADMIN')
})

async function appoint(...actions: string[]) {
  const user = await t.signIn(site)
  await makeOperator(t.deps, site.id, user.id, actions)
  await t.deps.pool.query('UPDATE session SET two_factor_at = now() WHERE user_id = $1', [user.id])
  return user
}

const asked = async (path: string) => (await wechatCounts(wechat))[`/cgi-bin/${path}`] ?? 0

async function records(action: string) {
  const { rows } = await t.deps.pool.query(
    'SELECT operator, target, detail FROM operator_log WHERE site_id = $1 AND action = $2 ORDER BY at',
    [site.id, action],
  )
  return rows
}

/** A user of the site with this WeChat. */
async function bound(user: string, own: WechatAccount = wechat): Promise<{ id: UserId; openid: string }> {
  const id = (await t.signIn(site)).id as UserId
  const openid = await openidOf(own, user)
  await giveName(t.deps.db, withoutStepUp('boundWechat'), site.id, id, `wechat.openid:${own.appId}`, openid)
  return { id, openid }
}

test('S389 S219 the token is shown with its expiry, and two fetches are one token', async () => {
  const { data } = await operator.call(merchantWechatToken)
  expect(data).toEqual({ access_token: expect.any(String), expires: expect.any(Number) })
  expect(Math.abs((data?.expires ?? 0) - Date.now() - 7_200_000)).toBeLessThan(60_000)
  expect((await operator.call(merchantWechatToken)).data?.access_token).toBe(data?.access_token)
  expect(await asked('stable_token')).toBe(1)
})

test('D045 the token needs ADMIN, and each fetch is recorded with who it was', async () => {
  const writer = await appoint('READ', 'WRITE')
  expect(await writer.call(merchantWechatToken)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  expect(await t.call(site, merchantWechatToken)).toMatchObject({ status: 401 })
  const told = await Promise.all(times(3, () => operator.call(merchantWechatToken)))
  const entry = { operator: operator.id, target: wechat.appId, detail: {} }
  expect(await records('wechat.token')).toEqual([entry, entry, entry])
  expect(JSON.stringify([await records('wechat.token'), t.log])).not.toContain(told[0]?.data?.access_token)
})

const menu = {
  button: [{ name: '店铺', sub_button: { list: [{ type: 'view', name: '新品', url: 'https://a.example/' }] } }],
}

test('S390 S391 the menu is read as selfmenu_info, and what was read can be saved', async () => {
  const { data = {} } = await operator.call(loadWechatMenu)
  expect(data).toEqual({
    button: [
      { name: '服务', sub_button: { list: [{ type: 'view', name: '官网', url: 'https://www.qingyu.example/' }] } },
      { type: 'click', name: '帮助', key: 'HELP' },
    ],
  })
  expect(await operator.call(changeWechatMenu, { data })).toMatchObject({ status: 200, data: null })
  expect((await operator.call(loadWechatMenu)).data).toEqual(data)
  await operator.call(changeWechatMenu, { data: menu })
  expect((await operator.call(loadWechatMenu)).data).toEqual(menu)
  expect(await records('wechat.menu')).toMatchObject([{ operator: operator.id }, { operator: operator.id }])
})

test('S391 changing the menu needs WRITE, reading it READ', async () => {
  const reader = await appoint('READ')
  expect(await reader.call(loadWechatMenu)).toMatchObject({ status: 200 })
  expect(await reader.call(changeWechatMenu, { data: menu })).toMatchObject({ code: 'FORBIDDEN' })
  const visitor = await t.signIn(site)
  expect(await visitor.call(loadWechatMenu)).toMatchObject({ code: 'FORBIDDEN' })
  expect(await asked('menu/create')).toBe(0)
})

test('what WeChat’s call can’t take is refused by name and place before WeChat is asked', async () => {
  const news = { button: [...menu.button, { type: 'News', name: '活动', value: 'x', news_info: { list: [] } }] }
  await orderWechat(wechat, { menu: news })
  const { data = {} } = await operator.call(loadWechatMenu)
  expect(data).toEqual(news)
  expect(await operator.call(changeWechatMenu, { data })).toMatchObject({
    status: 400,
    code: 'WECHAT_MENU_INVALID',
    details: { place: '第 2 个菜单「活动」', reason: expect.stringContaining('图文消息') },
  })
  expect(await asked('menu/create')).toBe(0)
  expect(await records('wechat.menu')).toEqual([])
})

test('an account without a menu has an empty one', async () => {
  await orderWechat(wechat, { menu: null })
  expect((await operator.call(loadWechatMenu)).data).toEqual({ button: [] })
  await orderWechat(wechat, { path: '/cgi-bin/get_current_selfmenu_info', errcode: 46003 })
  expect((await operator.call(loadWechatMenu)).data).toEqual({ button: [] })
})

const shipping = 'iPk5sOIt5X_flOVKn5GrTFpncEYTojx6ddbt8WYoV5s'
const params = { character_string1: '202611150001', thing2: '海盐香皂', time3: '10:20' }

test('S392 S218 templates are listed with id, title and content with placeholders', async () => {
  const reader = await appoint('READ')
  const { data } = await reader.call(loadMessageTemplates)
  expect(data).toContainEqual({
    template_id: shipping,
    title: '订单发货通知',
    content: '订单号:{{character_string1.DATA}}\n商品名称:{{thing2.DATA}}\n发货时间:{{time3.DATA}}',
  })
})

test('S393 a message reaches the user whose WeChat is bound, by id or short id in any case', async () => {
  const { id, openid } = await bound('lin')
  const send = (userId: string, url: string) =>
    operator.call(sendWechatMessage, { userId, templateId: shipping, url, params })
  for (const [index, userId] of [id, id.toUpperCase(), id.slice(0, 8), ` ${id.slice(0, 8).toUpperCase()} `].entries()) {
    const answer = await send(userId, `https://a.example/${index}`)
    expect(answer.data).toEqual({ msgid: expect.stringMatching(/^\d{19}$/) })
  }
  const [newest] = await messagesTo(openid)
  expect(newest).toMatchObject({ channel: 'wechat', text: '订单号:202611150001\n商品名称:海盐香皂\n发货时间:10:20' })
  expect(await messagesTo(openid)).toHaveLength(4)
})

test('S393 sending needs WRITE and is recorded without what was written', async () => {
  const { id } = await bound('lin')
  const message = { userId: id, templateId: shipping, url: '', params }
  const reader = await appoint('READ', 'ADMIN')
  expect(await reader.call(sendWechatMessage, message)).toMatchObject({ code: 'FORBIDDEN' })
  await operator.call(sendWechatMessage, message)
  const entries = await records('wechat.send')
  expect(entries).toMatchObject([{ operator: operator.id, target: id, detail: { templateId: shipping } }])
  expect(JSON.stringify(entries)).not.toContain('海盐香皂')
})

test('an operator who tries again after a failure sends once', async () => {
  const { id, openid } = await bound('lin')
  const send = () => operator.call(sendWechatMessage, { userId: id, templateId: shipping, params })
  await operator.call(loadMessageTemplates)
  await orderWechat(wechat, { mode: 'reset', deliver: true, count: 1, path: '/cgi-bin/message/template/send' })
  expect(await send()).toMatchObject({ status: 502, code: 'WECHAT_FAILED' })
  const answers = await Promise.all(times(5, send))
  expect(new Set(answers.map(({ data }) => data?.msgid)).size).toBe(1)
  expect(await messagesTo(openid)).toHaveLength(1)
})

test('who is unknown, ambiguous or not bound gets nothing', async () => {
  const send = (userId: string) => operator.call(sendWechatMessage, { userId, templateId: shipping, params })
  expect(await send(randomUUID())).toMatchObject({ status: 404, code: 'USER_UNKNOWN' })
  expect(await send('zzzzzzzz')).toMatchObject({ code: 'INPUT_INVALID' })
  const user = await t.signIn(site)
  expect(await send(user.id)).toMatchObject({ status: 409, code: 'WECHAT_UNBOUND' })
  const twin = `${user.id.slice(0, 8)}-0000-4000-8000-000000000000`
  await t.deps.pool.query('INSERT INTO users (site_id, id) VALUES ($1, $2)', [site.id, twin])
  expect(await send(user.id.slice(0, 8))).toMatchObject({ status: 409, code: 'USER_AMBIGUOUS' })
  expect(await send(user.id)).toMatchObject({ code: 'WECHAT_UNBOUND' })
  const other = await t.codeSite({ wechat })
  const abroad = await t.signIn(other)
  expect(await send(abroad.id)).toMatchObject({ code: 'USER_UNKNOWN' })
  expect(await records('wechat.send')).toEqual([])
})

test('an openid of another account is none of this one', async () => {
  const { id } = await bound('lin', await newWechat())
  const answer = await operator.call(sendWechatMessage, { userId: id, templateId: shipping, params })
  expect(answer).toMatchObject({ code: 'WECHAT_UNBOUND' })
})

test.each([
  [43004, 'zhou', {}, '该用户没有关注公众号，无法接收消息'],
  [
    47003,
    'lin',
    { params: { ...params, thing2: '一'.repeat(21) } },
    '模板参数 thing2 的内容不符合要求：最多 20 个字符',
  ],
  [40037, 'lin', { templateId: 'none' }, '模板编号不存在或不属于本公众号'],
])('%i: a refusal by WeChat is shown in plain words', async (errcode, user, change, reason) => {
  const { id, openid } = await bound(user)
  const answer = await operator.call(sendWechatMessage, { userId: id, templateId: shipping, params, ...change })
  expect(answer).toMatchObject({ status: 409, code: 'WECHAT_CALL_REFUSED', details: { errcode, reason } })
  expect(JSON.stringify(answer)).not.toContain(openid)
})

test('an address that isn’t on WeChat’s list is named', async () => {
  await orderWechat(wechat, { path: '/cgi-bin/stable_token', errcode: 40164 })
  const { details } = await operator.call(loadWechatMenu)
  expect(details).toEqual({
    errcode: 40164,
    reason: '服务器地址不在微信公众号的 IP 白名单中，请在公众平台的「基本配置」中添加：127.0.0.1',
    address: '127.0.0.1',
  })
})

test('a voided token is fetched anew without the operator noticing', async () => {
  await operator.call(loadWechatMenu)
  await orderWechat(wechat, { voidToken: true })
  const answers = await Promise.all(times(5, () => operator.call(loadWechatMenu)))
  for (const { status } of answers) expect(status).toBe(200)
  expect(await asked('stable_token')).toBe(2)
})

test('a site without an account answers so', async () => {
  site = await t.codeSite()
  operator = await appoint('READ', 'WRITE', 'ADMIN')
  for (const call of [merchantWechatToken, loadWechatMenu, loadMessageTemplates]) {
    expect(await operator.call(call)).toMatchObject({ code: 'WECHAT_OFF' })
  }
  expect(await operator.call(changeWechatMenu, { data: menu })).toMatchObject({ code: 'WECHAT_OFF' })
})

test('WeChat silent: the operator gets an error within bounds', async () => {
  await operator.call(loadWechatMenu)
  await orderWechat(wechat, { mode: 'hang' })
  const began = performance.now()
  expect(await operator.call(loadWechatMenu)).toMatchObject({ status: 502, code: 'WECHAT_FAILED' })
  expect(performance.now() - began).toBeLessThan(timeLimit(6_500))
})
