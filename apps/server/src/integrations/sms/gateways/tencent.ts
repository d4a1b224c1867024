import { createHash, createHmac } from 'node:crypto'
import { z } from 'zod'
import { type Outcome, refused, unknown } from '../../outcome.ts'
import { type KeyedAccount, keyed, keyedSecrets } from '../account-fields.ts'
import type { SigningMoment, SmsGateway, SmsMessage, SmsRequest } from '../gateway.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

interface TencentAccount extends KeyedAccount {
  /** Tencent Cloud's SmsSdkAppId. */
  appId?: string | undefined
}

interface Tc3 {
  service: string
  host: string
  contentType: string
  body: string
  /** Seconds since 1970. */
  timestamp: number
}

/** The Authorization of TC3-HMAC-SHA256 for a POST to `/`. */
export function signTencent(
  { keyId, secret }: { keyId: string; secret: string },
  { service, host, contentType, body, timestamp }: Tc3,
): string {
  const date = new Date(timestamp * 1000).toISOString().slice(0, 10)
  const scope = `${date}/${service}/tc3_request`
  const names = 'content-type;host'
  const canonical = `POST\n/\n\ncontent-type:${contentType}\nhost:${host}\n\n${names}\n${sha256(body)}`
  const key = [date, service, 'tc3_request'].reduce<string | Buffer>(hmac, `TC3${secret}`)
  const signature = hmac(key, `TC3-HMAC-SHA256\n${timestamp}\n${scope}\n${sha256(canonical)}`).toString('hex')
  return `TC3-HMAC-SHA256 Credential=${keyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
}

export function tencentRequest(
  baseUrl: string,
  account: TencentAccount,
  message: SmsMessage,
  { now }: Pick<SigningMoment, 'now'>,
): SmsRequest {
  const body = JSON.stringify({
    PhoneNumberSet: [`+${message.prefix}${message.mobile}`],
    SmsSdkAppId: account.appId ?? '',
    TemplateId: message.template,
    SignName: account.signName,
    TemplateParamSet: message.params.map(({ value }) => value),
  })
  const timestamp = Math.floor(now / 1000)
  const contentType = 'application/json; charset=utf-8'
  const signed = { service: 'sms', host: new URL(baseUrl).host, contentType, body, timestamp }
  return {
    url: `${baseUrl}/`,
    headers: {
      'content-type': contentType,
      'x-tc-action': 'SendSms',
      'x-tc-version': '2021-01-11',
      'x-tc-region': account.region ?? 'ap-guangzhou',
      'x-tc-timestamp': String(timestamp),
      authorization: signTencent({ keyId: account.keyId, secret: account.secret ?? '' }, signed),
    },
    body,
  }
}

const complaint = z.object({ Code: z.string(), Message: z.string().default('') })
const answer = z.object({
  Response: z.object({
    Error: complaint.optional(),
    SendStatusSet: z.array(complaint.extend({ SerialNo: z.string().default('') })).optional(),
  }),
})

/** The request as a whole may be refused, or the one number in it. */
export function readTencent(json: unknown): Outcome {
  const parsed = answer.safeParse(json)
  if (!parsed.success) return unknown('UNREADABLE_ANSWER')
  const { Error: error, SendStatusSet: [status] = [] } = parsed.data.Response
  if (!error && status?.Code === 'Ok') return { kind: 'sent', id: status.SerialNo }
  const { Code, Message } = error ?? status ?? { Code: 'UNREADABLE_ANSWER', Message: '' }
  return /^(?:InternalError|UNREADABLE_ANSWER)/.test(Code) ? unknown(Code) : refused(Code, Message)
}

export const tencent: SmsGateway<TencentAccount> = {
  name: '腾讯云',
  fields: { ...keyed, appId: z.string().max(200).optional().describe('腾讯云短信应用的 SdkAppId') },
  secrets: keyedSecrets,
  baseUrl: (urls) => urls.tencent,
  request: tencentRequest,
  read: ({ json }) => readTencent(json),
  numberRefusals: [
    'FailedOperation.PhoneNumberInBlacklist',
    'InvalidParameterValue.IncorrectPhoneNumber',
    'LimitExceeded.DeliveryFrequencyLimit',
    'LimitExceeded.PhoneNumberThirtySecondLimit',
    'LimitExceeded.PhoneNumberOneHourLimit',
    'LimitExceeded.PhoneNumberDailyLimit',
    'LimitExceeded.PhoneNumberSameContentDailyLimit',
  ],
}
