import { z } from 'zod'
import { type Outcome, refused, unknown } from '../../outcome.ts'
import { keyed } from '../account-fields.ts'
import type { SmsAccount, SmsAnswer, SmsGateway, SmsMessage, SmsRequest, SmsSecret } from '../gateway.ts'

type Json = z.core.util.JSONType

interface HttpAccount extends SmsAccount {
  url: string
  method?: 'GET' | 'POST' | undefined
  headers?: Record<string, string> | undefined
  secret?: string | undefined
  json?: Record<string, Json> | undefined
  form?: Record<string, string> | undefined
  signName?: string | undefined
  success?: { field: string; equals: string } | undefined
}

const names = ['mobile', 'prefix', 'template', 'sign', 'secret', 'code', 'minutes', 'time', 'event']
const placeholder = /\{(\w+)\}/g

const strange = (text: string): string[] =>
  [...text.matchAll(placeholder)].flatMap(([whole, name = '']) => (names.includes(name) ? [] : whole))

const textsIn = (value: Json | undefined): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : []

const known = (value: unknown) => textsIn(value as Json).flatMap(strange).length === 0
const knownNames = { error: `只能使用这些占位符：${names.map((name) => `{${name}}`).join(' ')}` }

/** Headers that belong to the connection, or that proxies between us and the gateway interpret. */
const reserved = /^(?:host|connection|content-length|transfer-encoding|te|trailer|upgrade|expect|cookie|proxy-.*)$/i

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,64}$/, '请求头的名称只能包含字母、数字和连字符')
  .refine((name) => !reserved.test(name), '不能设置该请求头')

const headerValue = z
  .string()
  .max(2_000)
  .regex(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, '请求头只能包含英文字符，首尾不能有空格')

// No placeholder in the host: a message must not choose where it is sent. http is for a simulator on the same machine, which
// sending refuses in production.
const url = z
  .string()
  .max(1_000)
  .regex(
    /^(?:https:\/\/[^/?#{}\s\\@]+|http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?)(?:[/?][^\s#\\]*)?$/,
    '须为以 https:// 开头的完整网址，域名中不能有占位符',
  )
  .refine((text) => URL.canParse(text), '须为完整的网址')
  .refine(known, knownNames)

const field = z
  .string()
  .max(200)
  .regex(/^[\w-]+(?:\.[\w-]+)*$/, '须为字段的路径，例如 data.code')

const fields = {
  url: url.describe('短信接口的网址，须为 https 和公网地址；修改后需要重新填写请求头和密钥'),
  method: z.enum(['POST', 'GET']).optional().describe('请求方式，默认 POST'),
  headers: z
    .record(headerName, headerValue)
    .refine((headers) => Object.keys(headers).length <= 20, '请求头不能超过 20 个')
    .optional()
    .describe('请求头，例如 Authorization；内容保存后显示为 ********'),
  secret: z
    .string()
    .min(1)
    .max(512)
    .optional()
    .describe('接口的密钥，在网址、json 或 form 中写作 {secret}，保存后显示为 ********'),
  json: z
    .record(z.string().max(100), z.json())
    .refine(known, knownNames)
    .optional()
    .describe('以 JSON 发送的内容，可使用占位符 {mobile} {code} {template} 等'),
  form: z
    .record(z.string().max(100), z.string().max(2_000))
    .refine(known, knownNames)
    .optional()
    .describe('以表单发送的内容，可使用占位符 {mobile} {code} {template} 等'),
  success: z
    .looseObject({
      field: field.describe('返回的 JSON 中表示结果的字段，例如 data.code'),
      equals: z.string().max(100).describe('发送成功时该字段的值，例如 0'),
    })
    .optional()
    .describe('怎样算发送成功，未填写时状态码为 2xx 即为成功'),
  signName: keyed.signName.optional(),
  templates: keyed.templates,
}

const fill = (text: string, values: Map<string, string>, write = (value: string) => value): string =>
  text.replace(placeholder, (whole, name: string) => {
    const value = values.get(name)
    return value === undefined ? whole : write(value)
  })

/** Inside the parsed body, so that no value can end a string of it. */
function fillJson(value: Json, values: Map<string, string>): Json {
  if (typeof value === 'string') return fill(value, values)
  if (Array.isArray(value)) return value.map((each) => fillJson(each, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fillJson(each, values)]))
}

const form = (fields: Record<string, string>, values: Map<string, string>): string =>
  new URLSearchParams(
    Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, fill(text, values)])),
  ).toString()

function bodyOf(
  { json, form: fields }: HttpAccount,
  values: Map<string, string>,
): Pick<SmsRequest, 'body' | 'headers'> {
  if (json) return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(fillJson(json, values)) }
  if (!fields) return { headers: {} }
  return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form(fields, values) }
}

const usesSecret = ({ url: text, json, form: fields }: HttpAccount): boolean =>
  [text, ...textsIn(json), ...textsIn(fields)].some((each) => each.includes('{secret}'))

function request(_baseUrl: string, account: HttpAccount, message: SmsMessage): SmsRequest | Outcome {
  const { prefix, mobile, template, params } = message
  const { signName: sign = '', secret = '', method = 'POST' } = account
  if (secret === '' && usesSecret(account)) return refused('NO_SECRET', 'the account has no secret')
  const given = { prefix, mobile, template, sign, secret }
  const values = new Map([
    ...Object.entries(given),
    ...params.map(({ name, value }): [string, string] => [name, value]),
  ])
  const { headers, body } = method === 'GET' ? { headers: {} } : bodyOf(account, values)
  return {
    method,
    url: fill(account.url, values, encodeURIComponent),
    headers: { accept: 'application/json', ...headers, ...lowerCased(account.headers) },
    ...(body !== undefined && { body }),
    publicOnly: true,
  }
}

const lowerCased = (headers: Record<string, string> = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

function at(json: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (value, key) =>
        typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? value[key as never] : undefined,
      json,
    )
}

function read({ status, json }: SmsAnswer, { success }: HttpAccount): Outcome {
  if (status < 200 || status >= 300) return refused(`HTTP_${status}`, 'refused')
  if (!success) return { kind: 'sent', id: '' }
  const found = at(json, success.field)
  if (found === undefined || (typeof found === 'object' && found !== null)) return unknown('UNREADABLE_ANSWER')
  if (String(found) === success.equals) return { kind: 'sent', id: '' }
  return refused(String(found).slice(0, 40), 'the answer is not the one of success')
}

/** A gateway of the merchant's own choice: the only one whose URL comes from the config. Sending accepts public addresses alone. */
export const http: SmsGateway<HttpAccount> = {
  name: '其他服务商的 HTTP 接口',
  fields,
  secrets(account) {
    const ownerOf = (name: string) => `http/${name}/${account.url}`
    const { headers = {} } = account
    const holder = account as unknown as SmsSecret['holder']
    return [
      ...('secret' in account ? [{ holder, key: 'secret', owner: ownerOf(''), field: 'url' }] : []),
      ...Object.keys(headers).map((key) => ({ holder: headers, key, owner: ownerOf(key.toLowerCase()), field: 'url' })),
    ]
  },
  baseUrl: (_urls, account) => account.url,
  request,
  read,
  numberRefusals: [],
}
