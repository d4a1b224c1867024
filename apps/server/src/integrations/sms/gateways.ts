import type { SmsGateway } from './gateway.ts'
import { aliyun } from './gateways/aliyun.ts'
import { http } from './gateways/http.ts'
import { tencent } from './gateways/tencent.ts'

/** Every gateway by its kind. Config schema, secrets, circuit breaker and metrics follow from this. */
export const smsGateways: Readonly<Record<string, SmsGateway>> = { aliyun, tencent, http }

/** Undefined where a config holds a kind that this version doesn't know. */
export const gatewayOf = (kind: string): SmsGateway | undefined =>
  Object.hasOwn(smsGateways, kind) ? smsGateways[kind] : undefined
