import { createPrivateKey, sign } from 'node:crypto'
import { promisify } from 'node:util'
import type { SigningKey } from './keys.ts'

export interface LogoutClaims {
  iss: string
  aud: string
  sub: string
  sid: string
  jti: string
}

const event = 'http://schemas.openid.net/event/backchannel-logout'
/** Clients refuse an old one, so a copy is soon worthless. */
const lifeSeconds = 120

const encoded = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** OpenID Connect Back-Channel Logout 1.0, section 2.4. It has no nonce, so that it can't pass for an ID token. */
export async function logoutToken(key: SigningKey, now: number, claims: LogoutClaims): Promise<string> {
  const iat = Math.floor(now / 1000)
  const header = encoded({ alg: key.alg, typ: 'logout+jwt', kid: key.kid })
  const text = `${header}.${encoded({ ...claims, iat, exp: iat + lifeSeconds, events: { [event]: {} } })}`
  const privateKey = createPrivateKey({ key, format: 'jwk' })
  const signature = await promisify(sign)('sha256', Buffer.from(text), privateKey)
  return `${text}.${signature.toString('base64url')}`
}
