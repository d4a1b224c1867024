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

/** A site's account at a gateway, its secret already opened. */
export interface SmsGateway {
  kind: SmsGatewayKind
  keyId: string
  secret: string
  signName: string
  /** Tencent Cloud's SmsSdkAppId. */
  appId?: string | undefined
  /** Tencent Cloud's region. */
  region?: string | undefined
  /** The gateway's template codes by purpose. */
  templates: Readonly<Record<string, string>>
}

export type SmsGatewayKind = 'aliyun' | 'tencent'

export type SmsUrls = Readonly<Record<SmsGatewayKind, string>>

/** A request signed and ready; always a POST. */
export interface SmsRequest {
  url: string
  headers: Record<string, string>
  body?: string
}

/** What a signature holds besides the message. */
export interface SigningMoment {
  /** Milliseconds since 1970. */
  now: number
  nonce: string
}
