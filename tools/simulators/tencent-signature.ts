import { createHash, createHmac } from 'node:crypto'
import type { GatewayRequest } from './gateway.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()

export interface TencentAuthorization {
  keyId: string
  date: string
  /** Tencent's own client takes it from the first part of the host, whatever that is. */
  service: string
  signedHeaders: string[]
  signature: string
}

const form =
  /^TC3-HMAC-SHA256 Credential=([^/]+)\/(\d{4}-\d\d-\d\d)\/(\w+)\/tc3_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/

export function readTencentAuthorization(header = ''): TencentAuthorization | undefined {
  const [, keyId, date, service, names, signature] = form.exec(header) ?? []
  if (!keyId || !date || !service || !names || !signature) return undefined
  return { keyId, date, service, signedHeaders: names.split(';'), signature }
}

/** Whether the signature is right for the host as it arrived or, as Tencent's own client signs it, without its port. */
export function tencentSignatureFits(
  request: GatewayRequest,
  secret: string,
  { date, service, signedHeaders, signature }: TencentAuthorization,
): boolean {
  if (!signedHeaders.includes('host') || !signedHeaders.includes('content-type')) return false
  const timestamp = String(request.headers['x-tc-timestamp'])
  if (new Date(Number(timestamp) * 1000).toISOString().slice(0, 10) !== date) return false
  const key = hmac(hmac(hmac(`TC3${secret}`, date), service), 'tc3_request')
  const host = request.headers.host ?? ''
  return [host, host.replace(/:\d+$/, '')].some((signedHost) => {
    const values: Record<string, unknown> = { ...request.headers, host: signedHost }
    const lines = signedHeaders
      .map(
        (name) =>
          `${name}:${String(values[name] ?? '')
            .trim()
            .toLowerCase()}\n`,
      )
      .join('')
    const parts = [request.method, request.path, request.query, lines, signedHeaders.join(';'), sha256(request.body)]
    const scope = `${date}/${service}/tc3_request`
    const toSign = `TC3-HMAC-SHA256\n${timestamp}\n${scope}\n${sha256(parts.join('\n'))}`
    return hmac(key, toSign).toString('hex') === signature
  })
}
