import { randomUUID } from 'node:crypto'
import { expectedAliyun, hashMatches, readAliyunAuthorization, signsEnough } from './aliyun-signature.ts'
import { createCarrier, type Limit, withoutPrefix } from './carrier.ts'
import { type GatewayOptions, type GatewayRequest, type Reply, startGateway } from './gateway.ts'
import type { Simulator } from './loopback.ts'

const reply = (status: number, Code: string, Message: string, more = {}): Reply => ({
  status,
  body: { Message, RequestId: randomUUID().toUpperCase(), Code, ...more },
})

/** A request that never reached the service gets an error status; a message that wasn't sent, with 200. */
const rejected = (status: number, code: string, message: string) =>
  reply(status, code, message, { HostId: 'dysmsapi.aliyuncs.com' })

const limitTexts: Record<Limit, string> = {
  short: '触发分钟级流控Permits:1',
  hour: '触发小时级流控Permits:5',
  day: '触发天级流控Permits:10',
}

const mainland = /^(?:\+?86|0086|\+)?(1[3-9]\d{9})$/

/** Aliyun's SendSms (dysmsapi, 2017-05-25) with everything a request can do wrong. */
export function startAliyunSms(options: GatewayOptions): Promise<Simulator> {
  const { keys, signNames, templates, receive, limits = true, now = Date.now } = options
  const count = createCarrier(now, 60_000)
  const nonces = new Set<string>()

  function distrust(request: GatewayRequest): Reply | undefined {
    const authorization = readAliyunAuthorization(request.headers.authorization)
    if (!authorization)
      return rejected(400, 'IncompleteSignature', 'The request signature does not conform to standards.')
    const secret = keys[authorization.keyId]
    if (secret === undefined) return rejected(404, 'InvalidAccessKeyId.NotFound', 'Specified access key is not found.')
    const skew = Math.abs(Date.parse(String(request.headers['x-acs-date'])) - now())
    if (!(skew <= 15 * 60_000)) {
      return rejected(400, 'InvalidTimeStamp.Expired', 'Specified time stamp or date value is expired.')
    }
    const { toSign, signature } = expectedAliyun(request, secret, authorization.signedHeaders)
    const signed = signsEnough(request, authorization.signedHeaders) && hashMatches(request)
    if (!signed || signature !== authorization.signature) {
      const text = `Specified signature is not matched with our calculation. server string to sign is:${toSign}`
      return rejected(400, 'SignatureDoesNotMatch', text)
    }
    const nonce = String(request.headers['x-acs-signature-nonce'] ?? '')
    if (nonce === '' || nonces.has(nonce)) {
      return rejected(400, 'SignatureNonceUsed', 'Specified signature nonce was used already.')
    }
    if (nonces.size >= 100_000) nonces.clear()
    nonces.add(nonce)
    return undefined
  }

  function sendSms(query: URLSearchParams): Reply {
    const [number = '', signName = '', code = ''] = ['PhoneNumbers', 'SignName', 'TemplateCode'].map(
      (name) => query.get(name) ?? '',
    )
    if (number === '') return rejected(400, 'MissingPhoneNumbers', 'PhoneNumbers is mandatory for this action.')
    if (!mainland.test(number) && !/^[2-9]\d{6,14}$|^1[02]\d{9}$/.test(number)) {
      return reply(200, 'isv.MOBILE_NUMBER_ILLEGAL', '手机号码格式错误')
    }
    if (!signNames.includes(signName)) return reply(200, 'isv.SMS_SIGN_ILLEGAL', '该账号下找不到对应签名')
    const template = templates[code]
    if (template === undefined) return reply(200, 'isv.SMS_TEMPLATE_ILLEGAL', '该账号下找不到对应模板')
    const text = fill(template, query.get('TemplateParam') ?? '{}')
    if (text === undefined) return reply(200, 'isv.TEMPLATE_MISSING_PARAMETERS', '模板中存在未赋值的变量')
    const limit = limits ? count(signName, number) : undefined
    if (limit) return reply(200, 'isv.BUSINESS_LIMIT_CONTROL', limitTexts[limit])
    const to = mainland.exec(number)?.[1] ?? withoutPrefix(number)
    receive({ to, channel: 'sms', from: signName, text: `【${signName}】${text}` })
    return reply(200, 'OK', 'OK', { BizId: `${now()}${Math.floor(Math.random() * 1e6)}^0` })
  }

  function answer(request: GatewayRequest): Reply {
    const distrusted = distrust(request)
    if (distrusted) return distrusted
    const { 'x-acs-action': action, 'x-acs-version': version } = request.headers
    if (version !== '2017-05-25') return rejected(400, 'InvalidVersion', 'Specified parameter Version is not valid.')
    if (action !== 'SendSms') return rejected(404, 'InvalidAction.NotFound', 'Specified api is not found.')
    return sendSms(new URLSearchParams(request.query))
  }

  return startGateway({
    answer,
    fail: () => rejected(500, 'InternalError', 'The request processing has failed due to some unknown error.'),
    refuse: (code = 'isv.OUT_OF_SERVICE') => reply(200, code, '业务停机'),
  })
}

/** The text with its variables, or undefined when one has no value. */
function fill(template: string, json: string): string | undefined {
  const values = JSON.parse(json) as Record<string, string>
  const names = Array.from(template.matchAll(/\$\{(\w+)\}/g), ([, name = '']) => name)
  if (names.some((name) => !values[name])) return undefined
  return template.replace(/\$\{(\w+)\}/g, (_, name) => values[name] ?? '')
}
