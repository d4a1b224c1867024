import { randomInt } from 'node:crypto'
import type { Receive } from './inbox-store.ts'
import { type App, personByOpenid } from './wechat-apps.ts'
import { type Answer, complain, parseJson, type WechatCall } from './wechat-wire.ts'

const industry = { primary_industry: 'IT科技', deputy_industry: '互联网|电子商务' }

export const templates = [
  {
    template_id: 'iPk5sOIt5X_flOVKn5GrTFpncEYTojx6ddbt8WYoV5s',
    title: '订单发货通知',
    ...industry,
    content: '订单号:{{character_string1.DATA}}\n商品名称:{{thing2.DATA}}\n发货时间:{{time3.DATA}}',
    example: '订单号:202611150001\n商品名称:海盐香皂\n发货时间:2026-11-15 10:20',
  },
  {
    template_id: 'ngqIpbwh8bUfcSsECmogfXcV14J0tQlEpBO27izEYtY',
    title: '会员积分变动提醒',
    ...industry,
    content:
      '{{first.DATA}}\n会员姓名:{{name1.DATA}}\n变动类型:{{phrase2.DATA}}\n剩余积分:{{number3.DATA}}\n{{remark.DATA}}',
    example: '会员姓名:林小满\n变动类型:消费\n剩余积分:320',
  },
]

const chinese = /\p{Script=Han}/u
const length = (text: string) => [...text].length

/** What a field may hold, by the kind that its name begins with. */
const rules: Record<string, (value: string) => boolean> = {
  thing: (value) => length(value) <= 20,
  character_string: (value) => length(value) <= 32 && !chinese.test(value),
  phrase: (value) => length(value) <= 5 && /^\p{Script=Han}+$/u.test(value),
  name: (value) => length(value) <= (chinese.test(value) ? 10 : 20),
  number: (value) => /^\d+(?:\.\d+)?$/.test(value) && value.length <= 32,
  phone_number: (value) => /^[\d+ -]{1,17}$/.test(value),
  time: (value) => /\d{1,2}:\d{2}|\d{4}[-年]\d{1,2}/.test(value),
}

const kindOf = (field: string) => field.replace(/\d+$/, '')
const fieldsIn = (content: string) => Array.from(content.matchAll(/\{\{(\w+)\.DATA\}\}/g), ([, name = '']) => name)

interface Message {
  touser?: unknown
  template_id?: unknown
  url?: unknown
  client_msg_id?: unknown
  data?: Record<string, { value?: unknown } | undefined>
}

/** Ids by app, user and the caller's own id: ten minutes long the same message goes out once. */
export type Sent = Map<string, { msgid: string; at: number }>

const memoryMs = 10 * 60_000

/** Beyond what a JavaScript number holds exactly, as real ones are. */
const newMsgid = () => `34${randomInt(1e8).toString().padStart(8, '0')}${randomInt(1e9).toString().padStart(9, '0')}`
const done = (msgid: string) => `{"errcode":0,"errmsg":"ok","msgid":${msgid}}`

interface Post {
  receive: Receive
  sent: Sent
  now: () => number
}

/** `/cgi-bin/message/template/send` */
export function sendTemplate({ receive, sent, now }: Post, app: App, { method, body }: WechatCall): Answer {
  if (method !== 'POST') return complain(43002)
  const message: Message | undefined = parseJson(body)
  if (!message) return complain(47001)
  const template = templates.find(({ template_id }) => template_id === message.template_id)
  if (!template) return complain(40037)
  const to = String(message.touser)
  const person = personByOpenid(app, to)
  if (!person) return complain(40003)
  if (!person.follows) return complain(43004)
  const values = valuesOf(template.content, message)
  if (typeof values === 'string') return complain(47003, `argument invalid! data.${values}.value invalid`)
  const key = `${app.appId}/${to}/${String(message.client_msg_id)}`
  const before = message.client_msg_id === undefined ? undefined : sent.get(key)
  if (before && now() - before.at < memoryMs) return done(before.msgid)
  const msgid = newMsgid()
  sent.set(key, { msgid, at: now() })
  receive({
    to,
    name: person.nickname,
    channel: 'wechat',
    subject: template.title,
    text: shown(template.content, values),
    ...(typeof message.url === 'string' && { url: message.url }),
  })
  return done(msgid)
}

/** The values by their field, or the name of the first field whose value WeChat doesn't take. */
function valuesOf(content: string, { data = {} }: Message): Record<string, string> | string {
  const fields = fieldsIn(content).filter((field) => field !== 'first' && field !== 'remark')
  const values = Object.fromEntries(fields.map((field) => [field, data[field]?.value]))
  const wrong = fields.find((field) => {
    const value = values[field]
    return typeof value !== 'string' || value === '' || rules[kindOf(field)]?.(value) === false
  })
  return wrong ?? (values as Record<string, string>)
}

/** WeChat no longer shows what stands under `first` and `remark`. */
const shown = (content: string, values: Record<string, string>) =>
  content.replace(/\{\{(\w+)\.DATA\}\}/g, (_, field) => values[field] ?? '').trim()
