import { randomUUID } from 'node:crypto'
import type { App, Apps } from './wechat-apps.ts'

/** A call as it arrived. */
export interface WechatCall {
  method: string
  path: string
  query: URLSearchParams
  body: string
}

/** Sent as it is, or as JSON. */
export type Answer = string | object

/** What the calls share. */
export interface World {
  apps: Apps
  tokens: Map<string, Token>
  now: () => number
}

export interface Token {
  app: App
  expiresAt: number
  /** Of one user's, the others are the app's. */
  openid?: string
  personId?: string
  scope?: string
}

const words: Record<number, string> = {
  [-1]: 'system error',
  40001: 'invalid credential, access_token is invalid or not latest',
  40002: 'invalid grant_type',
  40003: 'invalid openid',
  40013: 'invalid appid',
  40014: 'invalid access_token',
  40016: 'invalid button size',
  40017: 'invalid button type',
  40018: 'invalid button name size',
  40019: 'invalid button key size',
  40020: 'invalid button url size',
  40023: 'invalid sub button size',
  40024: 'invalid sub button type',
  40025: 'invalid sub button name size',
  40026: 'invalid sub button key size',
  40027: 'invalid sub button url size',
  40029: 'invalid code',
  40033: 'invalid charset',
  40037: 'invalid template_id',
  40125: 'invalid appsecret',
  40163: 'code been used',
  40164: 'invalid ip 127.0.0.1 ipv6 ::ffff:127.0.0.1, not in whitelist',
  41001: 'access_token missing',
  42001: 'access_token expired',
  42003: 'oauth_code expired',
  43001: 'require GET method',
  43002: 'require POST method',
  43004: 'require subscribe',
  45009: 'reach max api daily quota limit',
  46003: 'menu no exist',
  47001: 'data format error',
  48001: 'api unauthorized',
}

/** WeChat closes every complaint with the id of the request. */
export function complain(errcode: number, errmsg = words[errcode] ?? 'refused'): Answer {
  const [first = '', second, third] = randomUUID().split('-')
  return { errcode, errmsg: `${errmsg}, rid: ${first}-${second}${third}-${randomUUID().slice(0, 8)}` }
}

export function parseJson(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text)
    return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
