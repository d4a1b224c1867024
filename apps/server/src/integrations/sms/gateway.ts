import type { z } from 'zod'
import type { Outcome } from '../outcome.ts'

/** A message for one gateway, which knows its text by the code of a template. */
export interface SmsMessage {
  /** Digits alone, such as 86. */
  prefix: string
  mobile: string
  template: string
  /** In the order of the template: Tencent Cloud numbers them, Aliyun names them. */
  params: SmsParam[]
}

export interface SmsParam {
  name: string
  value: string
}

/** A site's account at a gateway, as its config holds it. */
export interface SmsAccount {
  kind: string
  /** The gateway's template codes by purpose. */
  templates?: Readonly<Record<string, string>> | undefined
}

/** Origins of the gateways that have one for all sites. */
export type SmsUrls = Readonly<Record<'aliyun' | 'tencent', string>>

/** A request signed and ready. */
export interface SmsRequest {
  /** POST unless given. */
  method?: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
  /** For a URL that the site's config names: public addresses alone, encrypted. */
  publicOnly?: boolean
}

/** What a signature holds besides the message. */
export interface SigningMoment {
  /** Milliseconds since 1970. */
  now: number
  nonce: string
}

export interface SmsAnswer {
  status: number
  /** Undefined where the body isn't JSON. */
  json: unknown
}

export interface SmsSecret {
  holder: Record<string, unknown>
  key: string
  /** What it is the secret of, below `sms/`; a change of that clears the secret. */
  owner: string
  /** The field of the account that names the owner. */
  field: string
}

/** One kind of gateway: what an operator fills in for it, and how it is spoken to. */
export interface SmsGateway<Account extends SmsAccount = SmsAccount> {
  /** As operators know it. */
  name: string
  /** What an account consists of, besides its kind. */
  fields: z.core.$ZodLooseShape
  /** Every secret that an account may hold, set or not. */
  secrets(account: Account): SmsSecret[]
  /** Where it is reached; its host has a circuit breaker of its own. */
  baseUrl(urls: SmsUrls, account: Account): string
  /** `account` with its secrets opened. */
  request(baseUrl: string, account: Account, message: SmsMessage, moment: SigningMoment): SmsRequest | Outcome
  read(answer: SmsAnswer, account: Account): Outcome
  /** Codes of refusals that concern the one number: no operator can put them right. */
  numberRefusals: readonly string[]
}
