import { z } from 'zod'
import { askWechat } from './ask.ts'
import type { WechatApp, WechatDeps, WechatOutcome } from './wechat.ts'

/** The app's access token, which its other calls need. */
export interface AccessToken {
  value: string
  lifeMs: number
}

const given = z
  .object({ access_token: z.string().min(1).max(1024), expires_in: z.int().positive() })
  .transform(({ access_token, expires_in }): AccessToken => ({ value: access_token, lifeMs: expires_in * 1_000 }))

/** Never forced: that would void the token that all other processes use, and WeChat allows it twenty times a day. */
export const askAccessToken = (deps: WechatDeps, { appId, secret }: WechatApp): Promise<WechatOutcome<AccessToken>> => {
  const body = { grant_type: 'client_credential', appid: appId, secret, force_refresh: false }
  return askWechat(deps, { path: '/cgi-bin/stable_token', query: {}, body }, given)
}
