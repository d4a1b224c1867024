import { createHash } from 'node:crypto'
import sharp from 'sharp'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createInboxStore } from './inbox-store.ts'
import type { Simulator } from './loopback.ts'
import { startWechat } from './wechat.ts'

const store = createInboxStore()
let simulator: Simulator
let time = Date.UTC(2026, 10, 15)
let app = { appId: '', secret: '' }
let count = 0

beforeAll(async () => {
  const first = { appId: 'wx1', secret: 'first' }
  simulator = await startWechat({ app: first, receive: store.receive, now: () => time })
})
afterAll(() => simulator.stop())
beforeEach(async () => {
  app = { appId: `wxtest${count++}`, secret: 'secret' }
  await order(app)
})

type Json = Record<string, unknown>

const order = (what: object) =>
  fetch(`${simulator.url}/control`, { method: 'POST', body: JSON.stringify({ appId: app.appId, ...what }) })

async function counts(): Promise<Record<string, number>> {
  const answer = await fetch(`${simulator.url}/control?appid=${app.appId}`)
  return ((await answer.json()) as { data: { counts: Record<string, number> } }).data.counts
}

async function get(path: string, query: Record<string, string>): Promise<Json> {
  return (await (await fetch(`${simulator.url}${path}?${new URLSearchParams(query)}`)).json()) as Json
}

async function post(path: string, body: object | string, query = {}): Promise<Json> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await fetch(`${simulator.url}${path}?${new URLSearchParams(query)}`, { method: 'POST', body: text })
  return (await answer.json()) as Json
}

const wish = () => ({
  appid: app.appId,
  redirect_uri: 'https://account.example.com/back?a=b',
  response_type: 'code',
  scope: 'snsapi_userinfo',
  state: 'S1',
})

const visit = (change: object = {}, headers: Record<string, string> = {}) =>
  fetch(`${simulator.url}/connect/oauth2/authorize?${new URLSearchParams({ ...wish(), ...change })}`, {
    redirect: 'manual',
    headers,
  })

async function codeFor(person: string, scope = 'snsapi_userinfo'): Promise<string> {
  const answer = await visit({ person, scope })
  return new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
}

const exchange = (code: string, change: object = {}) =>
  get('/sns/oauth2/access_token', {
    ...{ appid: app.appId, secret: app.secret, code, grant_type: 'authorization_code' },
    ...change,
  })

const refused = (errcode: number, words: string) => ({
  errcode,
  errmsg: expect.stringMatching(new RegExp(`^${words}.*, rid: [0-9a-f-]+$`)),
})

test('who agrees comes back with code and state, who refuses with the state alone', async () => {
  const agreed = await visit({ person: 'chen' })
  expect(agreed.status).toBe(302)
  expect(agreed.headers.get('location')).toMatch(/^https:\/\/account\.example\.com\/back\?a=b&code=[\w-]{32}&state=S1$/)
  const answer = await visit({ person: 'refuse' })
  expect(answer.headers.get('location')).toBe('https://account.example.com/back?a=b&state=S1')
})

test('the page lets one pick a user, without any script', async () => {
  const answer = await visit()
  const page = await answer.text()
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'; img-src 'self'/)
  expect(page).not.toMatch(/<script|style=|onclick/)
  for (const name of ['林小满', '陈默', '周末去爬山', '微信用户', '拒绝']) expect(page).toContain(name)
  expect(Array.from(page.matchAll(/data-person="(\w+)"/g), ([, id]) => id)).toEqual([
    ...['lin', 'chen', 'zhou', 'snapshot', 'refuse'],
  ])
})

test('an address with markup stays text', async () => {
  await order({ change: { id: 'lin', nickname: '<b>林</b>' } })
  const page = await (await visit({ redirect_uri: 'https://a.example/"><script>' })).text()
  expect(page).not.toMatch(/<script|<b>/)
})

test.each([
  ['AppID', { appid: 'wx' }],
  ['redirect_uri', { redirect_uri: '/back' }],
  ['redirect_uri', { redirect_uri: 'javascript:alert(1)' }],
  ['response_type', { response_type: 'token' }],
  ['Scope', { scope: 'snsapi_login' }],
  ['state', { state: 'a-b' }],
  ['state', { state: 'a'.repeat(129) }],
])('a wrong %s shows an error page', async (name, change) => {
  const answer = await visit(change)
  expect(answer.status).toBe(200)
  expect(await answer.text()).toMatch(new RegExp(`role="alert">${name} 参数错误`))
})

test('a state of 128 letters is taken', async () => {
  expect((await visit({ state: 'a'.repeat(128), person: 'lin' })).status).toBe(302)
})

test('the silent scope asks nothing: it is the user whom the browser picked before, or the owner of the phone', async () => {
  const openid = async (headers = {}) => {
    const answer = await visit({ scope: 'snsapi_base' }, headers)
    const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? ''
    return (await exchange(code)).openid
  }
  const picked = await visit({ person: 'chen' })
  const cookie = picked.headers.get('set-cookie')?.split(';')[0] ?? ''
  expect(cookie).toBe('wechat_person=chen')
  const chen = (await exchange(await codeFor('chen'))).openid
  expect(await openid({ cookie })).toBe(chen)
  expect(await openid()).toBe((await exchange(await codeFor('lin'))).openid)
  await order({ person: 'zhou' })
  expect(await openid()).toBe((await exchange(await codeFor('zhou'))).openid)
  expect((await visit()).status).toBe(200)
  await order({ person: 'zhou', auto: true })
  expect((await visit()).status).toBe(302)
  expect((await visit({ forcePopup: 'true', scope: 'snsapi_userinfo' })).status).toBe(200)
})

test('a code is answered field by field as WeChat does', async () => {
  expect(await exchange(await codeFor('lin'))).toEqual({
    access_token: expect.any(String),
    expires_in: 7200,
    refresh_token: expect.any(String),
    openid: expect.stringMatching(/^o[\w-]{27}$/),
    scope: 'snsapi_userinfo',
    unionid: expect.stringMatching(/^o[\w-]{27}$/),
  })
  expect(Object.keys(await exchange(await codeFor('zhou')))).not.toContain('unionid')
  expect(await exchange(await codeFor('snapshot'))).toMatchObject({ is_snapshotuser: 1 })
})

test('a code works once and for five minutes, for its own app alone', async () => {
  const code = await codeFor('lin')
  expect(await exchange(code)).toHaveProperty('openid')
  expect(await exchange(code)).toEqual(refused(40163, 'code been used'))
  const late = await codeFor('lin')
  time += 5 * 60_000
  expect(await exchange(late)).toEqual(refused(42003, ''))
  expect(await exchange('none')).toEqual(refused(40029, 'invalid code'))
  expect(await exchange(await codeFor('lin'), { secret: 'no' })).toEqual(refused(40125, 'invalid appsecret'))
  expect(await exchange(await codeFor('lin'), { appid: 'no' })).toEqual(refused(40013, 'invalid appid'))
  const foreign = await codeFor('lin')
  expect(await exchange(foreign, { appid: 'wx1', secret: 'first' })).toEqual(refused(40029, 'invalid code'))
})

test('a user is described field by field as WeChat does, with a picture that expires when it is changed', async () => {
  const { access_token, openid, unionid } = (await exchange(await codeFor('lin'))) as Record<string, string>
  const ask = () => get('/sns/userinfo', { access_token: access_token ?? '', openid: openid ?? '', lang: 'zh_CN' })
  const person = await ask()
  expect(person).toEqual({
    openid,
    nickname: '林小满',
    sex: 0,
    language: '',
    province: '',
    city: '',
    country: '',
    headimgurl: expect.stringContaining('/mmopen/'),
    privilege: [],
    unionid,
  })
  const picture = await fetch(String(person.headimgurl))
  expect(picture.headers.get('content-type')).toBe('image/jpeg')
  expect(await sharp(await picture.arrayBuffer()).metadata()).toMatchObject({ width: 132, height: 132, format: 'jpeg' })
  await order({ change: { id: 'lin', nickname: '小满', picture: 2 } })
  expect((await fetch(String(person.headimgurl))).status).toBe(404)
  expect(await ask()).toMatchObject({ nickname: '小满' })
})

test('a token of the silent scope describes no user', async () => {
  const { access_token, openid } = (await exchange(await codeFor('lin', 'snsapi_base'))) as Record<string, string>
  const query = { access_token: access_token ?? '', openid: openid ?? '' }
  expect(await get('/sns/userinfo', query)).toEqual(refused(48001, 'api unauthorized'))
  expect(await get('/sns/userinfo', { ...query, access_token: 'no' })).toEqual(refused(40001, 'invalid credential'))
})

const askToken = (change: object = {}) =>
  post('/cgi-bin/stable_token', {
    ...{ grant_type: 'client_credential', appid: app.appId, secret: app.secret, force_refresh: false },
    ...change,
  })

const menuPath = '/cgi-bin/get_current_selfmenu_info'
const readMenu = (token: unknown) => get(menuPath, { access_token: String(token) })

test('the token stays the same until its last five minutes, in which both are good', async () => {
  const first = await askToken()
  expect(first).toEqual({ access_token: expect.any(String), expires_in: 7200 })
  time += (7200 - 300) * 1_000 - 1
  expect((await askToken()).access_token).toBe(first.access_token)
  time += 1
  const second = await askToken()
  expect(second).toEqual({ access_token: expect.not.stringMatching(String(first.access_token)), expires_in: 7200 })
  expect(await readMenu(first.access_token)).toHaveProperty('selfmenu_info')
  expect(await readMenu(second.access_token)).toHaveProperty('selfmenu_info')
  time += 300_000
  expect(await readMenu(first.access_token)).toEqual(refused(42001, 'access_token expired'))
  expect(await counts()).toMatchObject({ '/cgi-bin/stable_token': 3 })
})

test('a forced token voids the one before', async () => {
  const first = await askToken()
  const second = await askToken({ force_refresh: true })
  expect(second.access_token).not.toBe(first.access_token)
  expect(await readMenu(first.access_token)).toEqual(refused(40001, 'invalid credential'))
  expect(await askToken({ secret: 'no' })).toEqual(refused(40125, 'invalid appsecret'))
  expect(await askToken({ appid: 'no' })).toEqual(refused(40013, 'invalid appid'))
})

const token = async () => ({ access_token: String((await askToken()).access_token) })

test('the menu is read in one shape and written in another', async () => {
  const access = await token()
  expect(await get(menuPath, access)).toEqual({
    is_menu_open: 1,
    selfmenu_info: {
      button: [
        { name: '服务', sub_button: { list: [{ type: 'view', name: '官网', url: 'https://www.qingyu.example/' }] } },
        { type: 'click', name: '帮助', key: 'HELP' },
      ],
    },
  })
  const button = [{ name: '店铺', sub_button: [{ type: 'view', name: '新品', url: 'https://a.example/' }] }]
  expect(await post('/cgi-bin/menu/create', { button }, access)).toEqual({ errcode: 0, errmsg: 'ok' })
  expect(await get(menuPath, access)).toMatchObject({
    selfmenu_info: { button: [{ name: '店铺', sub_button: { list: [{ name: '新品' }] } }] },
  })
})

const view = (change: object = {}) => ({ type: 'view', name: '官网', url: 'https://a.example/', ...change })
const under = (...buttons: object[]) => [{ name: '服务', sub_button: buttons }]
const long = 'a'.repeat(2_000)

test.each<[number, string, unknown]>([
  [40016, 'the shape that is read', [{ name: '服务', sub_button: { list: [view()] } }]],
  [40016, 'no button', []],
  [40016, 'four buttons', [view(), view(), view(), view()]],
  [40017, 'a type that there is not', [view({ type: 'news' })]],
  [40018, 'no name', [view({ name: '' })]],
  [40018, 'a name of seventeen bytes', [view({ name: 'a'.repeat(17) })]],
  [40019, 'no key', [{ type: 'click', name: '帮助' }]],
  [40020, 'an address that is too long', [view({ url: `https://a.example/${long}` })]],
  [40023, 'six buttons below', under(...Array.from({ length: 6 }, () => view()))],
  [40024, 'a type below', under(view({ type: 'text' }))],
  [40025, 'a name below', under(view({ name: long }))],
  [40026, 'a key below', under({ type: 'click', name: '帮助', key: long })],
  [40027, 'an address below', under(view({ url: 'a.example' }))],
])('%i: %s is refused', async (errcode, _, button) => {
  expect(await post('/cgi-bin/menu/create', { button }, await token())).toMatchObject({ errcode })
})

test('a body with escapes is refused', async () => {
  const body = '{"button":[{"type":"click","name":"\\u5e2e\\u52a9","key":"HELP"}]}'
  expect(await post('/cgi-bin/menu/create', body, await token())).toMatchObject({ errcode: 40033 })
  expect(await post('/cgi-bin/menu/create', '{', await token())).toMatchObject({ errcode: 47001 })
})

const openidOf = (person: string) =>
  `o${createHash('sha256').update(`${app.appId}/${person}`).digest('base64url').slice(0, 27)}`

const shipping = 'iPk5sOIt5X_flOVKn5GrTFpncEYTojx6ddbt8WYoV5s'
const values = (change: object = {}) => ({
  ...{ character_string1: { value: '202611150001' }, thing2: { value: '海盐香皂' }, time3: { value: '10:20' } },
  ...change,
})
const message = (change: object = {}) => ({
  ...{ touser: openidOf('lin'), template_id: shipping, url: 'https://a.example/', data: values() },
  ...change,
})
const sendPath = '/cgi-bin/message/template/send'

test('templates are listed as WeChat does', async () => {
  const { template_list } = await get('/cgi-bin/template/get_all_private_template', await token())
  expect(template_list).toContainEqual({
    template_id: shipping,
    title: '订单发货通知',
    primary_industry: expect.any(String),
    deputy_industry: expect.any(String),
    content: '订单号:{{character_string1.DATA}}\n商品名称:{{thing2.DATA}}\n发货时间:{{time3.DATA}}',
    example: expect.any(String),
  })
})

test('a message reaches the user with its values in place, and its id is a bare number beyond 2^53', async () => {
  const answer = await fetch(`${simulator.url}${sendPath}?${new URLSearchParams(await token())}`, {
    method: 'POST',
    body: JSON.stringify(message()),
  })
  const text = await answer.text()
  const msgid = /^\{"errcode":0,"errmsg":"ok","msgid":(\d{19})\}$/.exec(text)?.[1] ?? ''
  expect(BigInt(msgid)).toBeGreaterThan(2n ** 53n)
  expect(store.list(openidOf('lin'))).toMatchObject([
    {
      channel: 'wechat',
      name: '林小满',
      subject: '订单发货通知',
      text: '订单号:202611150001\n商品名称:海盐香皂\n发货时间:10:20',
    },
  ])
})

test('the same id of the caller sends once in ten minutes', async () => {
  const send = async () => post(sendPath, message({ client_msg_id: 'once' }), await token())
  await Promise.all([send(), send(), send()])
  expect(store.list(openidOf('lin'))).toHaveLength(1)
  time += 10 * 60_000
  await send()
  expect(store.list(openidOf('lin'))).toHaveLength(2)
})

const field = (name: string, value: string) => ({ data: values({ [name]: { value } }) })
const points = 'ngqIpbwh8bUfcSsECmogfXcV14J0tQlEpBO27izEYtY'
const pointValues = (change: object) => ({
  template_id: points,
  data: { name1: { value: '林小满' }, phrase2: { value: '消费' }, number3: { value: '320' }, ...change },
})

test.each<[number, string, object]>([
  [40003, 'an unknown openid', { touser: 'unknown' }],
  [40037, 'an unknown template', { template_id: 'none' }],
  [47003, 'no value', { data: {} }],
  [47003, 'a thing of 21 characters', field('thing2', '一'.repeat(21))],
  [47003, 'a character_string in Chinese', field('character_string1', '订单一')],
  [47003, 'a character_string of 33', field('character_string1', '1'.repeat(33))],
  [47003, 'a phrase of six', pointValues({ phrase2: { value: '一二三四五六' } })],
  [47003, 'a phrase in letters', pointValues({ phrase2: { value: 'paid' } })],
  [47003, 'a name of eleven', pointValues({ name1: { value: '一'.repeat(11) } })],
  [47003, 'a number with words', pointValues({ number3: { value: '三百' } })],
])('%i: a message with %s is refused', async (errcode, _, change) => {
  expect(await post(sendPath, message(change), await token())).toMatchObject({ errcode })
  expect(store.list(openidOf('lin'))).toHaveLength(0)
})

test('who does not follow gets nothing, and the fault of a value is named', async () => {
  expect(await post(sendPath, message({ touser: openidOf('zhou') }), await token())).toMatchObject({ errcode: 43004 })
  expect(await post(sendPath, message(field('thing2', '')), await token())).toEqual(
    refused(47003, 'argument invalid! data.thing2.value invalid'),
  )
})

test('what was ordered happens to that app and path alone, so often', async () => {
  await order({ path: '/cgi-bin/stable_token', errcode: 40164, count: 2 })
  expect(await askToken()).toMatchObject({ errcode: 40164 })
  expect(await askToken()).toMatchObject({ errcode: 40164 })
  expect(await askToken()).toHaveProperty('access_token')
  await order({ mode: 'reset', path: menuPath, count: 1 })
  const { access_token } = await token()
  await expect(readMenu(access_token)).rejects.toThrow()
  expect(await readMenu(access_token)).toHaveProperty('selfmenu_info')
  await order({ mode: 'fail', count: 1 })
  expect(await askToken()).toMatchObject({ errcode: -1 })
})

test.each([
  ['no JSON', '{'],
  ['an unknown app', '{"appId":"wx?"}'],
  ['an unknown user', '{"person":"unknown"}'],
  ['an unknown mode', '{"mode":"explode"}'],
  ['a refusal without a path', '{"errcode":1}'],
])('an order with %s is not taken', async (_, body) => {
  expect((await fetch(`${simulator.url}/control`, { method: 'POST', body })).status).toBe(400)
})
