import { createHash, createHmac } from 'node:crypto'
import { z } from 'zod'
import { type Outcome, refused, unknown } from '../../outcome.ts'
import { type KeyedAccount, keyed, keyedSecrets } from '../account-fields.ts'
import type { SigningMoment, SmsGateway, SmsMessage, SmsRequest } from '../gateway.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)

const byName = ([a]: [string, string], [b]: [string, string]) => (a < b ? -1 : 1)

/** Query parameters in the canonical form that is signed. */
export const canonicalQuery = (query: Record<string, string>): string =>
  Object.entries(query)
    .sort(byName)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&')

/** The Authorization of ACS3-HMAC-SHA256 for a POST to `/`, over all the headers given, named in lower case. */
export function signAliyun(
  { keyId, secret }: { keyId: string; secret: string },
  query: string,
  headers: Record<string, string>,
  body = '',
): string {
  const sorted = Object.entries(headers).sort(byName)
  const names = sorted.map(([name]) => name).join(';')
  const lines = sorted.map(([name, value]) => `${name}:${value.trim()}\n`).join('')
  const canonical = `POST\n/\n${query}\n${lines}\n${names}\n${sha256(body)}`
  const signature = createHmac('sha256', secret)
    .update(`ACS3-HMAC-SHA256\n${sha256(canonical)}`)
    .digest('hex')
  return `ACS3-HMAC-SHA256 Credential=${keyId},SignedHeaders=${names},Signature=${signature}`
}

const mainlandMobile = /^1[3-9]\d{9}$/

/** Mainland numbers bare, others behind their prefix. */
export function aliyunNumber({ prefix, mobile }: Pick<SmsMessage, 'prefix' | 'mobile'>): string | undefined {
  if (prefix === '86') return mobile
  // +1 313 555 0123 would be read as the mainland number 131 3555 0123, and its owner would get the code.
  return mainlandMobile.test(prefix + mobile) ? undefined : prefix + mobile
}

export function aliyunRequest(
  baseUrl: string,
  account: KeyedAccount,
  message: SmsMessage,
  { now, nonce }: SigningMoment,
): SmsRequest | Outcome {
  const number = aliyunNumber(message)
  if (number === undefined) return refused('NUMBER_AMBIGUOUS', 'looks like a mainland number to this gateway')
  const query = canonicalQuery({
    PhoneNumbers: number,
    SignName: account.signName,
    TemplateCode: message.template,
    TemplateParam: JSON.stringify(Object.fromEntries(message.params.map(({ name, value }) => [name, value]))),
  })
  const headers = {
    'x-acs-action': 'SendSms',
    'x-acs-content-sha256': sha256(''),
    'x-acs-date': `${new Date(now).toISOString().slice(0, 19)}Z`,
    'x-acs-signature-nonce': nonce,
    'x-acs-version': '2017-05-25',
  }
  // The host is signed as it is sent: with its port where there is one.
  const authorization = signAliyun({ keyId: account.keyId, secret: account.secret ?? '' }, query, {
    host: new URL(baseUrl).host,
    ...headers,
  })
  return { url: `${baseUrl}/?${query}`, headers: { ...headers, accept: 'application/json', authorization } }
}

const answer = z.object({ Code: z.string(), Message: z.string().default(''), BizId: z.string().default('') })

/** Errors on the gateway's side, after which it may have sent or not. */
const unsure = /SYSTEM_ERROR|GATEWAY_ERROR|TIMEOUT|^Internal|^ServiceUnavailable/i

export function readAliyun(json: unknown): Outcome {
  const parsed = answer.safeParse(json)
  if (!parsed.success) return unknown('UNREADABLE_ANSWER')
  const { Code, Message, BizId } = parsed.data
  if (Code === 'OK') return { kind: 'sent', id: BizId }
  return unsure.test(Code) ? unknown(Code) : refused(Code, Message)
}

export const aliyun: SmsGateway<KeyedAccount> = {
  name: '阿里云',
  fields: keyed,
  secrets: keyedSecrets,
  baseUrl: (urls) => urls.aliyun,
  request: aliyunRequest,
  read: ({ json }) => readAliyun(json),
  // DAY_LIMIT_CONTROL isn't among them: that is the account's own limit, set in its console.
  numberRefusals: ['isv.MOBILE_NUMBER_ILLEGAL', 'isv.BUSINESS_LIMIT_CONTROL'],
}
