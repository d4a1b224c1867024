import { randomUUID } from 'node:crypto'
import { type GatewayRequest, type Reply, startGateway } from './gateway.ts'
import type { Receive } from './inbox-store.ts'
import type { Simulator } from './loopback.ts'

export interface HttpSmsOptions {
  key: string
  /** Texts by the code of their template, with `#code#` and the like. */
  templates: Record<string, string>
  receive: Receive
}

interface Order {
  key: string
  to: string
  sign: string
  template: string
  values: Record<string, string>
}

const reply = (code: number, msg: string, more = {}): Reply => ({
  status: 200,
  body: { result: { code, msg, ...more } },
})

/** One of the many gateways with a plain HTTP interface: JSON with a bearer token, a form or a query with a key. */
export function startHttpSms({ key, templates, receive }: HttpSmsOptions): Promise<Simulator> {
  function readOrder({ path, method, headers, query, body }: GatewayRequest): Order | undefined {
    if (path === '/v2/sms' && method === 'POST' && headers['content-type'] === 'application/json') {
      const { to = '', sign = '', template = '', vars = {} } = JSON.parse(body)
      return { key: String(headers.authorization).replace(/^Bearer /, ''), to, sign, template, values: vars }
    }
    const isForm = headers['content-type'] === 'application/x-www-form-urlencoded'
    if (path !== '/send' || (method === 'POST' && !isForm)) return undefined
    const {
      apikey = '',
      mobile = '',
      sign = '',
      tpl = '',
      ...values
    } = Object.fromEntries(new URLSearchParams(method === 'POST' ? body : query))
    return { key: apikey, to: mobile, sign, template: tpl, values }
  }

  function answer(request: GatewayRequest): Reply {
    const order = readOrder(request)
    if (!order) return { status: 404, body: { error: 'not found' } }
    if (order.key !== key) return { status: 401, body: { error: 'unauthorized' } }
    const to = /^\+86(1[3-9]\d{9})$|^(1[3-9]\d{9})$/.exec(order.to)
    if (!to) return reply(22, 'mobile is invalid')
    const template = templates[order.template]
    if (template === undefined) return reply(5, 'no such template')
    const text = template.replace(/#(\w+)#/g, (_, name: string) => order.values[name] ?? '')
    receive({ to: to[1] ?? to[2] ?? '', channel: 'sms', from: order.sign, text: `【${order.sign}】${text}` })
    return reply(0, 'OK', { sid: randomUUID() })
  }

  return startGateway({
    answer,
    fail: () => ({ status: 500, body: { error: 'internal' } }),
    refuse: (code = '33') => reply(Number(code), 'refused'),
  })
}
