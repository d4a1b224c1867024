import { randomBytes } from 'node:crypto'
import { type App, findPerson } from './wechat-apps.ts'
import { openidOf, refusal, unionidOf } from './wechat-users.ts'
import { type Answer, complain, type WechatCall, type World } from './wechat-wire.ts'

export interface AuthorizeRequest {
  app: App
  redirectUri: string
  scope: string
  state: string
}

export interface Code {
  app: App
  personId: string
  scope: string
  expiresAt: number
  used: boolean
}

const codeLifeMs = 5 * 60_000
const tokenLifeS = 7_200
const secret = (bytes: number) => randomBytes(bytes).toString('base64url')

/** What is wrong with the address the browser was sent to, as WeChat's own page words it, or what it asks for. */
export function readAuthorize(world: World, query: URLSearchParams): AuthorizeRequest | string {
  const text = (name: string) => query.get(name) ?? ''
  const app = world.apps.find(text('appid'))
  if (!app) return 'AppID 参数错误'
  const redirectUri = text('redirect_uri')
  if (!/^https?:$/.test(URL.parse(redirectUri)?.protocol ?? '')) return 'redirect_uri 参数错误'
  if (text('response_type') !== 'code') return 'response_type 参数错误'
  const scope = text('scope')
  if (scope !== 'snsapi_base' && scope !== 'snsapi_userinfo') return 'Scope 参数错误或没有 Scope 权限'
  const state = text('state')
  if (!/^[a-zA-Z0-9]{0,128}$/.test(state)) return 'state 参数错误'
  return { app, redirectUri, scope, state }
}

/** The way back, with a code unless the user refused. */
export function wayBack(world: World, codes: Map<string, Code>, request: AuthorizeRequest, personId: string): string {
  const { app, redirectUri, scope, state } = request
  const back = new URL(redirectUri)
  if (personId !== refusal) {
    const code = secret(24)
    codes.set(code, { app, personId, scope, expiresAt: world.now() + codeLifeMs, used: false })
    back.searchParams.set('code', code)
  }
  back.searchParams.set('state', state)
  return back.href
}

/** `/sns/oauth2/access_token` */
export function exchange(world: World, codes: Map<string, Code>, { query }: WechatCall): Answer {
  const app = world.apps.find(query.get('appid') ?? '')
  if (!app) return complain(40013)
  if (query.get('secret') !== app.secret) return complain(40125)
  if (query.get('grant_type') !== 'authorization_code') return complain(40002)
  const code = codes.get(query.get('code') ?? '')
  if (code?.app !== app) return complain(40029)
  if (code.used) return complain(40163)
  if (world.now() >= code.expiresAt) return complain(42003)
  const person = findPerson(app, code.personId)
  if (!person) return complain(40029)
  code.used = true
  const { scope } = code
  const openid = openidOf(app.appId, person)
  const unionid = scope === 'snsapi_userinfo' ? unionidOf(person) : undefined
  const token = secret(80)
  world.tokens.set(token, { app, expiresAt: world.now() + tokenLifeS * 1_000, openid, personId: person.id, scope })
  return {
    access_token: token,
    expires_in: tokenLifeS,
    refresh_token: secret(80),
    openid,
    scope,
    ...(person.snapshot && { is_snapshotuser: 1 }),
    ...(unionid && { unionid }),
  }
}

/** `/sns/userinfo` */
export function readUserInfo(world: World, url: string, { query }: WechatCall): Answer {
  const token = world.tokens.get(query.get('access_token') ?? '')
  if (!token?.openid) return complain(40001)
  if (world.now() >= token.expiresAt) return complain(42001)
  if (token.openid !== query.get('openid')) return complain(40003)
  if (token.scope !== 'snsapi_userinfo') return complain(48001)
  const person = findPerson(token.app, token.personId)
  if (!person) return complain(40003)
  const unionid = unionidOf(person)
  return {
    openid: token.openid,
    nickname: person.nickname,
    sex: 0,
    language: '',
    city: '',
    province: '',
    country: '',
    headimgurl: `${url}/mmopen/vi_32/${token.app.appId}-${person.id}-${person.picture}/132`,
    privilege: [],
    ...(unionid && { unionid }),
  }
}
