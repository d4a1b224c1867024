import { expect, inject, test } from 'vitest'
import { newWechat, orderWechat, returnFromWechat, type WechatAccount } from '../../../test/wechat-phone.ts'
import { createLog } from '../../platform/log.ts'
import { createBreaker } from '../breaker.ts'
import { type AuthorizeQuery, authorizeUrl, exchangeCode, fetchWechatUser } from './oauth.ts'
import type { WechatDeps } from './wechat.ts'
import { mustStartOver } from './wechat-errors.ts'

function setUp(more: Partial<WechatDeps> = {}) {
  const lines: string[] = []
  const deps: WechatDeps = {
    breaker: createBreaker(),
    log: createLog({ logLevel: 'info' }, { write: (line) => void lines.push(line) }),
    config: { wechat: { apiUrl: inject('wechatUrl') } },
    ...more,
  }
  return { deps, lines }
}

const redirectUri = 'https://account.example.com/api/wechat/callback'

async function codeOf(app: WechatAccount, user: string, scope: AuthorizeQuery['scope'] = 'snsapi_userinfo') {
  const address = authorizeUrl(inject('wechatUrl'), { appId: app.appId, redirectUri, scope, state: 'abc123' })
  const back = await returnFromWechat(address, user)
  expect(back.origin + back.pathname).toBe(redirectUri)
  expect(back.searchParams.get('state')).toBe('abc123')
  return back.searchParams.get('code')
}

test('the browser is sent with the parameters in the order that WeChat demands', () => {
  const query = { appId: 'wx1', redirectUri: 'https://a.example/b?c=d&e=f', scope: 'snsapi_base', state: 'S1' } as const
  expect(authorizeUrl('https://open.weixin.qq.com', query)).toBe(
    'https://open.weixin.qq.com/connect/oauth2/authorize?appid=wx1&redirect_uri=https%3A%2F%2Fa.example%2Fb%3Fc%3Dd%26e%3Df&response_type=code&scope=snsapi_base&state=S1#wechat_redirect',
  )
  expect(authorizeUrl('https://a', { ...query, forcePopup: true })).toMatch(
    /&state=S1&forcePopup=true#wechat_redirect$/,
  )
})

test('a user who agrees comes back with a code that identifies them, once', async () => {
  const app = await newWechat()
  const { deps, lines } = setUp()
  const code = (await codeOf(app, 'lin')) ?? ''
  const outcome = await exchangeCode(deps, app, code)
  if (outcome.kind !== 'done') throw new Error(outcome.kind)
  expect(outcome.data).toEqual({
    openid: expect.stringMatching(/^o[\w-]{27}$/),
    unionid: expect.stringMatching(/^o[\w-]{27}$/),
    snapshot: false,
    asked: true,
    accessToken: expect.any(String),
  })
  const { accessToken, openid } = outcome.data
  expect(await fetchWechatUser(deps, accessToken, openid)).toEqual({
    kind: 'done',
    data: { nickname: '林小满', picture: expect.stringContaining('/mmopen/') },
  })
  const again = await exchangeCode(deps, app, code)
  expect(again).toEqual({ kind: 'refused', code: 40163, message: 'code been used' })
  expect(mustStartOver(40163)).toBe(true)
  const told = JSON.stringify([lines, again])
  for (const secret of [code, app.secret, accessToken, openid]) expect(told).not.toContain(secret)
})

test('a user without unionid, a snapshot and a refusal are distinguished', async () => {
  const app = await newWechat()
  const { deps } = setUp()
  const plain = await exchangeCode(deps, app, (await codeOf(app, 'zhou')) ?? '')
  expect(plain).toMatchObject({ kind: 'done', data: { snapshot: false } })
  expect(plain.kind === 'done' && 'unionid' in plain.data).toBe(false)
  const snapshot = await exchangeCode(deps, app, (await codeOf(app, 'snapshot')) ?? '')
  expect(snapshot).toMatchObject({ kind: 'done', data: { snapshot: true } })
  expect(await codeOf(app, 'refuse')).toBeNull()
})

test('the silent way returns the same openid and nothing more', async () => {
  const app = await newWechat()
  const { deps } = setUp()
  const asked = await exchangeCode(deps, app, (await codeOf(app, 'chen')) ?? '')
  const silent = await exchangeCode(deps, app, (await codeOf(app, 'chen', 'snsapi_base')) ?? '')
  if (asked.kind !== 'done' || silent.kind !== 'done') throw new Error('no answer')
  expect(silent.data.openid).toBe(asked.data.openid)
  expect(silent.data.unionid).toBeUndefined()
  const { accessToken, openid } = silent.data
  expect(await fetchWechatUser(deps, accessToken, openid)).toMatchObject({ kind: 'refused', code: 48001 })
})

test.each([
  ['a code that was never issued', {}, 'unknown', 40029],
  ['a wrong secret', { secret: 'wrong' }, '', 40125],
  ['an unknown app', { appId: 'wx0000000000000000' }, '', 40013],
])('%s is refused with its number', async (_, change, code, errcode) => {
  const app = await newWechat()
  const outcome = await exchangeCode(setUp().deps, { ...app, ...change }, code)
  expect(outcome).toMatchObject({ kind: 'refused', code: errcode })
})

const path = '/sns/oauth2/access_token'

test.each([
  ['silence', { mode: 'hang' }, 'TIMEOUT'],
  ['a cut connection', { mode: 'reset' }, 'ECONNRESET|UND_ERR_SOCKET'],
  ['WeChat being busy', { mode: 'fail' }, 'SYSTEM_BUSY'],
])('%s leaves open what has happened', async (_, fault, reason) => {
  const app = await newWechat()
  await orderWechat(app, { ...fault, path })
  const { deps } = setUp({ wechatTimeoutMs: fault.mode === 'hang' ? 300 : 10_000 })
  expect(await exchangeCode(deps, app, 'code')).toEqual({ kind: 'unknown', reason: expect.stringMatching(reason) })
})
