import { readFileSync } from 'node:fs'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as openid from 'openid-client'

// All that has to do with OpenID Connect. server.js has the pages and the sessions of this site.

/** As `hufu client add` printed it. */
const { issuer, client_id: clientId, client_secret: secret } = JSON.parse(readFileSync('client.json', 'utf8'))
export const app = process.env.APP ?? 'http://localhost:3000'
const scope = process.env.SCOPE ?? 'openid profile'
const redirectUri = `${app}/callback`

/** On localhost the account centre may be tried without https. */
const isLocal = ['localhost', '127.0.0.1'].includes(new URL(issuer).hostname)

let discovered

/** Reads the discovery document once; after a failure the next request reads it again. */
function configuration() {
  discovered ??= openid
    .discovery(new URL(issuer), clientId, undefined, openid.ClientSecretBasic(secret), {
      ...(isLocal && { execute: [openid.allowInsecureRequests] }),
    })
    .catch((error) => {
      discovered = undefined
      throw error
    })
  return discovered
}

/** Where to send the browser, and what its session must keep until it comes back. */
export async function startLogin() {
  const checks = {
    pkceCodeVerifier: openid.randomPKCECodeVerifier(),
    expectedState: openid.randomState(),
    expectedNonce: openid.randomNonce(),
  }
  const address = openid.buildAuthorizationUrl(await configuration(), {
    redirect_uri: redirectUri,
    scope,
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    code_challenge: await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
    code_challenge_method: 'S256',
    // A refresh token that outlives the sign-out is given after an explicit consent alone.
    ...(scope.includes('offline_access') && { prompt: 'consent' }),
  })
  return { address: address.href, checks }
}

async function userOf(tokens, former) {
  const claims = tokens.claims() ?? former?.claims
  const info = await openid.fetchUserInfo(await configuration(), tokens.access_token, claims.sub)
  return { claims, info, idToken: tokens.id_token ?? former?.idToken, refreshToken: tokens.refresh_token }
}

/** The user who came back. Throws where the answer isn't one to the browser's own request. */
export async function finishLogin(query, checks) {
  return userOf(await openid.authorizationCodeGrant(await configuration(), new URL(`${redirectUri}${query}`), checks))
}

/** The same user with new tokens and claims. Throws once the grant has ended: then sign the user out. */
export async function refresh(user) {
  return userOf(await openid.refreshTokenGrant(await configuration(), user.refreshToken), user)
}

/** Where to send the browser to sign out of the account centre as well. */
export async function logoutAddress({ idToken }) {
  const address = openid.buildEndSessionUrl(await configuration(), {
    id_token_hint: idToken,
    post_logout_redirect_uri: `${app}/`,
  })
  return address.href
}

let keys

/** The session that the account centre says has ended (OpenID Connect Back-Channel Logout). */
export async function readLogoutToken(token) {
  const server = (await configuration()).serverMetadata()
  keys ??= createRemoteJWKSet(new URL(server.jwks_uri))
  const { payload } = await jwtVerify(token, keys, {
    issuer: server.issuer,
    audience: clientId,
    typ: 'logout+jwt',
    requiredClaims: ['iat', 'jti', 'sid'],
    maxTokenAge: '3m',
  })
  if (payload.nonce !== undefined) throw new Error('a logout token has no nonce')
  if (!payload.events?.['http://schemas.openid.net/event/backchannel-logout']) throw new Error('no logout token')
  return payload.sid
}
