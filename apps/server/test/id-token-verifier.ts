import { createRemoteJWKSet, customFetch, decodeProtectedHeader, jwtVerify } from 'jose'

export interface IdTokenVerifier {
  /** The id of the key that signed it; throws where the token isn't good. */
  verify(token: string): Promise<string>
}

/**
 * Verifies ID tokens as a client does that knows the published keys alone. It keeps them for as long as it may and asks
 * again for a key that it doesn't know, unless `cooldown` forbids it.
 */
export function idTokenVerifier(
  { origin, client }: { origin: string; client: string },
  fetchKeys: typeof fetch,
  { maxAge = 300_000, cooldown = 30_000 } = {},
): IdTokenVerifier {
  const keys = createRemoteJWKSet(new URL('/oidc/jwks', origin), {
    cacheMaxAge: maxAge,
    cooldownDuration: cooldown,
    [customFetch]: fetchKeys as never,
  })
  return {
    async verify(token) {
      await jwtVerify(token, keys, { issuer: origin, audience: client, algorithms: ['RS256'] })
      return decodeProtectedHeader(token).kid ?? ''
    },
  }
}
