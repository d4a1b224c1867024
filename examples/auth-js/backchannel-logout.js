import { createRemoteJWKSet, jwtVerify } from 'jose'

/** Sessions of the account centre that have ended. Keep them in your database, as long as your own sessions last. */
export const endedSessions = new Set()

const discoveries = new Map()

/** The addresses of an account centre; read once, and again after a failure. */
export function discover(issuer) {
  if (!discoveries.has(issuer)) {
    const reading = fetch(`${issuer}/.well-known/openid-configuration`).then((answer) => answer.json())
    reading.catch(() => discoveries.delete(issuer))
    discoveries.set(issuer, reading)
  }
  return discoveries.get(issuer)
}

let keys

/** Auth.js has no back-channel logout of its own (OpenID Connect Back-Channel Logout). */
export async function endSession(logoutToken, { issuer, client_id: clientId }) {
  keys ??= createRemoteJWKSet(new URL((await discover(issuer)).jwks_uri))
  const { payload } = await jwtVerify(logoutToken, keys, {
    issuer,
    audience: clientId,
    typ: 'logout+jwt',
    requiredClaims: ['iat', 'jti', 'sid'],
    maxTokenAge: '3m',
  })
  if (payload.nonce !== undefined) throw new Error('a logout token has no nonce')
  if (!payload.events?.['http://schemas.openid.net/event/backchannel-logout']) throw new Error('no logout token')
  endedSessions.add(payload.sid)
}
