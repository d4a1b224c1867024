import type { Log } from '../../platform/log.ts'
import type { Breaker } from '../breaker.ts'

/** A site's official account, its secret already unsealed. */
export interface WechatApp {
  appId: string
  secret: string
}

/** What calls to WeChat need; the product's own deps have all of it. */
export interface WechatDeps {
  breaker: Breaker
  log: Log
  config: { wechat: { apiUrl: string } }
  /** Five seconds unless a test can't wait. */
  wechatTimeoutMs?: number
}

/**
 * The outcome of a call. `refused` is WeChat's answer with its number; after `unknown` it may have happened or not, or
 * was never made. Neither holds an openid, a token, a code or a secret.
 */
export type WechatOutcome<Data> =
  | { kind: 'done'; data: Data }
  | { kind: 'refused'; code: number; message: string }
  | { kind: 'unknown'; reason: string }

export const unknownOutcome = (reason: string) => ({ kind: 'unknown' as const, reason })
