import { randomUUID } from 'node:crypto'
import { createCarrier, type Limit, withoutPrefix } from './carrier.ts'
import { type GatewayOptions, type GatewayRequest, type Reply, startGateway } from './gateway.ts'
import type { Simulator } from './loopback.ts'
import { readTencentAuthorization, tencentSignatureFits } from './tencent-signature.ts'

const reply = (response: object): Reply => ({
  status: 200,
  body: { Response: { ...response, RequestId: randomUUID() } },
})

const rejected = (Code: string, Message: string) => reply({ Error: { Code, Message } })

interface SendSms {
  PhoneNumberSet?: string[]
  SmsSdkAppId?: string
  TemplateId?: string
  SignName?: string
  TemplateParamSet?: string[]
}

interface Status {
  Code: string
  Message: string
}

const limitStatus: Record<Limit, Status> = {
  short: {
    Code: 'LimitExceeded.PhoneNumberThirtySecondLimit',
    Message: 'the number of SMS messages sent from a single mobile number within 30 seconds exceeds the upper limit',
  },
  hour: {
    Code: 'LimitExceeded.PhoneNumberOneHourLimit',
    Message: 'the number of SMS messages sent from a single mobile number within 1 hour exceeds the upper limit',
  },
  day: {
    Code: 'LimitExceeded.PhoneNumberDailyLimit',
    Message: 'the number of SMS messages sent from a single mobile number every day exceeds the upper limit',
  },
}

/** Tencent Cloud's SendSms (2021-01-11) with everything a request can do wrong. */
export function startTencentSms(options: GatewayOptions & { appIds: string[] }): Promise<Simulator> {
  const { keys, appIds, signNames, templates, receive, limits = true, now = Date.now } = options
  const count = createCarrier(now, 30_000)

  function distrust(request: GatewayRequest): Reply | undefined {
    const authorization = readTencentAuthorization(request.headers.authorization)
    if (!authorization) return rejected('AuthFailure.InvalidAuthorization', 'Authorization is not valid.')
    const secret = keys[authorization.keyId]
    if (secret === undefined) return rejected('AuthFailure.SecretIdNotFound', 'The SecretId is not found.')
    const skew = Math.abs(Number(request.headers['x-tc-timestamp']) * 1000 - now())
    if (!(skew <= 5 * 60_000)) return rejected('AuthFailure.SignatureExpire', 'The provided signature has expired.')
    if (tencentSignatureFits(request, secret, authorization)) return undefined
    return rejected('AuthFailure.SignatureFailure', 'The provided credentials could not be validated.')
  }

  function sendOne(number: string, sms: SendSms): Status {
    const template = templates[sms.TemplateId ?? '']
    const params = sms.TemplateParamSet ?? []
    const signName = sms.SignName ?? ''
    const places = new Set(template?.match(/\{\d+\}/g)).size
    if (!/^\+[1-9]\d{6,14}$/.test(number)) {
      return { Code: 'InvalidParameterValue.IncorrectPhoneNumber', Message: 'incorrect phone number' }
    }
    if (!signNames.includes(signName)) {
      return { Code: 'FailedOperation.SignatureIncorrectOrUnapproved', Message: 'signature is not approved' }
    }
    if (template === undefined || params.length !== places) {
      const text = 'template is not approved or request content does not match the approved template content'
      return { Code: 'FailedOperation.TemplateIncorrectOrUnapproved', Message: text }
    }
    const limit = limits ? count(signName, number) : undefined
    if (limit) return limitStatus[limit]
    const text = template.replace(/\{(\d+)\}/g, (_, place) => params[Number(place) - 1] ?? '')
    receive({ to: withoutPrefix(number.slice(1)), channel: 'sms', from: signName, text: `【${signName}】${text}` })
    return { Code: 'Ok', Message: 'send success' }
  }

  const statusOf = (number: string, status: Status) => {
    const sent = status.Code === 'Ok'
    const SerialNo = sent ? `5000:${Math.floor(Math.random() * 1e15)}${now()}` : ''
    const IsoCode = sent && number.startsWith('+86') ? 'CN' : ''
    return { SerialNo, PhoneNumber: number, Fee: sent ? 1 : 0, SessionContext: '', ...status, IsoCode }
  }

  function answer(request: GatewayRequest): Reply {
    const distrusted = distrust(request)
    if (distrusted) return distrusted
    const { 'x-tc-action': action, 'x-tc-version': version, 'x-tc-region': region } = request.headers
    if (version !== '2021-01-11') return rejected('NoSuchVersion', 'The version does not exist.')
    if (action !== 'SendSms') return rejected('InvalidAction', 'The action does not exist.')
    if (!region) return rejected('MissingParameter', 'The request is missing the parameter Region.')
    const sms = JSON.parse(request.body) as SendSms
    if (!appIds.includes(sms.SmsSdkAppId ?? '')) {
      return rejected('UnauthorizedOperation.SmsSdkAppIdVerifyFail', 'SmsSdkAppId verification fails.')
    }
    const numbers = sms.PhoneNumberSet ?? []
    return reply({ SendStatusSet: numbers.map((number) => statusOf(number, sendOne(number, sms))) })
  }

  return startGateway({
    answer,
    fail: () => rejected('InternalError.Timeout', 'request timed out'),
    refuse: (Code = 'FailedOperation.InsufficientBalanceInSmsPackage') =>
      reply({ SendStatusSet: [statusOf('', { Code, Message: 'insufficient balance in sms package' })] }),
  })
}
