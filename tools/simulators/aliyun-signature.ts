import { createHash, createHmac } from 'node:crypto'
import type { GatewayRequest } from './gateway.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

export interface AliyunAuthorization {
  keyId: string
  signedHeaders: string[]
  signature: string
}

export function readAliyunAuthorization(header = ''): AliyunAuthorization | undefined {
  const [, keyId, names, signature] =
    /^ACS3-HMAC-SHA256 Credential=([^,]+),SignedHeaders=([^,]+),Signature=([0-9a-f]{64})$/.exec(header) ?? []
  if (!keyId || !names || !signature) return undefined
  return { keyId, signedHeaders: names.split(';'), signature }
}

/** The spelling that must be signed, made from what a server decodes rather than from the spelling that arrived. */
function canonicalQuery(query: string): string {
  const encode = (text: string) =>
    Array.from(Buffer.from(text), (byte) => {
      const character = String.fromCharCode(byte)
      return /[A-Za-z0-9._~-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
    }).join('')
  return [...new URLSearchParams(query)]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&')
}

/** The string a right signature is made over, and that signature. */
export function expectedAliyun(request: GatewayRequest, secret: string, signedHeaders: string[]) {
  const lines = signedHeaders.map((name) => `${name}:${String(request.headers[name] ?? '').trim()}\n`).join('')
  const canonical = [
    request.method,
    request.path,
    canonicalQuery(request.query),
    lines,
    signedHeaders.join(';'),
    sha256(request.body),
  ].join('\n')
  const toSign = `ACS3-HMAC-SHA256\n${sha256(canonical)}`
  return { toSign, signature: createHmac('sha256', secret).update(toSign).digest('hex') }
}

/** The host, every x-acs-* header and the type of a body must be signed, in alphabetical order. */
export function signsEnough(request: GatewayRequest, signedHeaders: string[]): boolean {
  const needed = Object.keys(request.headers).filter((name) => name === 'host' || name.startsWith('x-acs-'))
  const sorted = signedHeaders.every((name, i) => i === 0 || (signedHeaders[i - 1] ?? '') < name)
  return sorted && needed.every((name) => signedHeaders.includes(name))
}

export const hashMatches = (request: GatewayRequest): boolean =>
  request.headers['x-acs-content-sha256'] === sha256(request.body)
