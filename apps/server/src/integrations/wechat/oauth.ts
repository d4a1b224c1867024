import { z } from 'zod'
import { askWechat } from './ask.ts'
import type { WechatApp, WechatDeps, WechatOutcome } from './wechat.ts'

export interface AuthorizeQuery {
  appId: string
  redirectUri: string
  /** The base scope asks nothing and returns only the openid. */
  scope: 'snsapi_base' | 'snsapi_userinfo'
  /** Letters and digits, at most 128. */
  state: string
  /** WeChat asks again a user who agreed before; not, by its own rules, a follower who comes from the account's chat or menu. */
  forcePopup?: boolean
}

/** Where the browser is sent. WeChat wants the parameters in exactly this order and the fragment at the end. */
export function authorizeUrl(
  openUrl: string,
  { appId, redirectUri, scope, state, forcePopup }: AuthorizeQuery,
): string {
  const query = [
    `appid=${encodeURIComponent(appId)}`,
    `redirect_uri=${encodeURIComponent(redirectUri)}`,
    'response_type=code',
    `scope=${scope}`,
    `state=${encodeURIComponent(state)}`,
    ...(forcePopup ? ['forcePopup=true'] : []),
  ].join('&')
  return `${openUrl}/connect/oauth2/authorize?${query}#wechat_redirect`
}

/** The user that WeChat identified. */
export interface WechatVisitor {
  openid: string
  /** Only of those who were asked (`snsapi_userinfo`), and only where the account belongs to an open platform. */
  unionid?: string | undefined
  /** A stand-in that WeChat generates while it shows a page as a snapshot: nothing may be bound to it. */
  snapshot: boolean
  /**
   * Whether the user agreed on a page of WeChat's. The browser carries the scope there, so only WeChat's answer counts.
   */
  asked: boolean
  /** For `fetchWechatUser` alone. */
  accessToken: string
}

const id = z.string().min(1).max(128)

const visitor = z
  .object({
    access_token: z.string().min(1).max(1024),
    openid: id,
    unionid: id.optional(),
    is_snapshotuser: z.int().optional(),
    scope: z.string().max(256).default(''),
  })
  .transform(
    ({ access_token, openid, unionid, is_snapshotuser, scope }): WechatVisitor => ({
      openid,
      ...(unionid && { unionid }),
      snapshot: is_snapshotuser === 1,
      asked: scope.split(',').includes('snsapi_userinfo'),
      accessToken: access_token,
    }),
  )

/** Spends the code that WeChat sent along; it works once, for five minutes. */
export const exchangeCode = (
  deps: WechatDeps,
  { appId, secret }: WechatApp,
  code: string,
): Promise<WechatOutcome<WechatVisitor>> => {
  const query = { appid: appId, secret, code, grant_type: 'authorization_code' }
  return askWechat(deps, { path: '/sns/oauth2/access_token', query }, visitor)
}

export interface WechatUser {
  nickname: string
  /** Expires when the user changes it: copy the picture. */
  picture?: string | undefined
}

const user = z
  .object({ nickname: z.string(), headimgurl: z.string().max(2048).default('') })
  .transform(({ nickname, headimgurl }): WechatUser => ({ nickname, ...(headimgurl && { picture: headimgurl }) }))

export const fetchWechatUser = (
  deps: WechatDeps,
  accessToken: string,
  openid: string,
): Promise<WechatOutcome<WechatUser>> => {
  const query = { access_token: accessToken, openid, lang: 'zh_CN' }
  return askWechat(deps, { path: '/sns/userinfo', query }, user)
}
