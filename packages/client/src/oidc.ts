import * as oidc from 'openid-client'

export interface SignInOptions {
  /** The address of the account centre, such as `https://account.example.com`. */
  issuer: string
  /** A client of kind `web`. */
  clientId: string
  clientSecret: string
  /** One of the client's return addresses. */
  redirectUri: string
  /** Separated by spaces; `openid` unless said otherwise. */
  scope?: string
}

/** Belongs in the visitor's own session until the browser is back. */
export interface PendingSignIn {
  state: string
  nonce: string
  codeVerifier: string
}

export interface SignedIn {
  /** The user: stable, and of this client alone unless it is first-party. */
  userId: string
  /** Of the session at the account centre: what a back-channel logout names. */
  sessionId: string | undefined
  claims: Readonly<Record<string, unknown>>
  idToken: string
  accessToken: string
  refreshToken: string | undefined
}

/** A site on this machine, while it is developed. */
const isLocal = (issuer: URL) =>
  issuer.protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(issuer.hostname)

/** Signs users of a server-side site in: authorization code with PKCE, state and nonce. */
export function createSignIn({ issuer, clientId, clientSecret, redirectUri, scope = 'openid' }: SignInOptions) {
  let found: Promise<oidc.Configuration> | undefined

  /** Once; a failure is not kept. */
  function configuration(): Promise<oidc.Configuration> {
    const address = new URL(issuer)
    const options = isLocal(address) ? { execute: [oidc.allowInsecureRequests] } : {}
    found ??= oidc.discovery(address, clientId, clientSecret, undefined, options).catch((error) => {
      found = undefined
      throw error
    })
    return found
  }

  return {
    /** Where the browser goes, and what to keep until it is back. `more`: `prompt`, `login_hint` and the like. */
    async begin(more: Readonly<Record<string, string>> = {}): Promise<{ url: string; pending: PendingSignIn }> {
      const pending = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        codeVerifier: oidc.randomPKCECodeVerifier(),
      }
      const { href } = oidc.buildAuthorizationUrl(await configuration(), {
        ...more,
        redirect_uri: redirectUri,
        scope,
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(pending.codeVerifier),
        code_challenge_method: 'S256',
      })
      return { url: href, pending }
    },

    /** Takes the address at which the browser came back. Give each session a new id after this. */
    async finish(cameBackTo: string, { state, nonce, codeVerifier }: PendingSignIn): Promise<SignedIn> {
      // Behind a proxy a server knows its own address only by its settings.
      const address = new URL(redirectUri)
      address.search = new URL(cameBackTo, redirectUri).search
      const tokens = await oidc.authorizationCodeGrant(await configuration(), address, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      })
      const claims = tokens.claims()
      if (!claims || !tokens.id_token) throw new Error('the answer has no ID token')
      return {
        userId: claims.sub,
        sessionId: typeof claims.sid === 'string' ? claims.sid : undefined,
        claims,
        idToken: tokens.id_token,
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token,
      }
    },

    /** Where the browser goes to sign out at the account centre as well. */
    async logoutUrl(idToken: string, returnTo: string): Promise<string> {
      const parameters = { id_token_hint: idToken, post_logout_redirect_uri: returnTo }
      return oidc.buildEndSessionUrl(await configuration(), parameters).href
    },
  }
}
