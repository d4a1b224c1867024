import { constants, createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isMachineScope } from '@hufu/contract/machine-scopes'
import { type ClientCredentials, errors, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import { keyCredential, secretCredential } from '../../shared/machine/credential.ts'
import { machineScopesOf } from '../../shared/machine/machine.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { findOidcClient } from './client-metadata.ts'

const provedBy = new WeakMap<IncomingMessage, string>()

/** The secret that a request's client has just proved itself by. */
export function noteSecret(secret: string): void {
  if (Provider.ctx) provedBy.set(Provider.ctx.req, secretCredential(secret))
}

type Verify = (data: Buffer, key: KeyObject, signature: Buffer) => boolean

const byCurve: Verify = (data, key, signature) => verify(null, data, key, signature)

const verifiers: Record<string, Verify> = {
  RS256: (data, key, signature) => verify('sha256', data, key, signature),
  PS256: (data, key, signature) =>
    verify('sha256', data, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }, signature),
  ES256: (data, key, signature) => verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature),
  Ed25519: byCurve,
  EdDSA: byCurve,
}

const keyTypes: Record<string, string> = { RS256: 'rsa', PS256: 'rsa', ES256: 'ec' }

/** The provider has accepted the assertion; which of the client's keys signed it, it doesn't say. */
function signingKeyOf(assertion: string, keys: object[]): object | undefined {
  const [header = '', payload = '', signature = ''] = assertion.split('.')
  const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { alg: string }
  const data = Buffer.from(`${header}.${payload}`)
  return keys.find((each) => {
    const key = createPublicKey({ key: each as JsonWebKey, format: 'jwk' })
    const fits = key.asymmetricKeyType === (keyTypes[alg] ?? 'ed25519')
    return fits && verifiers[alg]?.(data, key, Buffer.from(signature, 'base64url'))
  })
}

/** The credential that the client of the present request has proved. */
export function provedCredential(site: Site): string {
  const ctx = Provider.ctx as KoaContextWithOIDC | undefined
  const { client_assertion: assertion } = ctx?.oidc.params ?? {}
  const client = ctx?.oidc.client && findOidcClient(site, ctx.oidc.client.clientId)
  const key = typeof assertion === 'string' ? signingKeyOf(assertion, client?.publicKeys ?? []) : undefined
  const credential = key ? keyCredential(key) : ctx && provedBy.get(ctx.req)
  if (credential === undefined) throw new errors.InvalidClientAuth('no credential was proved')
  return credential
}

/** A request that names no scopes gets all of the client's; the library drops names that it doesn't know. */
export function limitMachineScopes(provider: Provider, site: Site): void {
  const { prototype } = provider.ClientCredentials
  const { save } = prototype
  prototype.save = async function (this: ClientCredentials, ...rest) {
    const client = findOidcClient(site, this.clientId ?? '')
    const { scope = '' } = Provider.ctx?.oidc.body ?? {}
    const requested = String(scope)
      .split(' ')
      .filter((name) => name !== '')
    const unknown = requested.find((name) => name !== 'openid' && !isMachineScope(name))
    if (unknown !== undefined) throw new errors.InvalidScope('requested scope is unknown', unknown)
    const scopes = requested.length > 0 || !client ? requested : machineScopesOf(client)
    Object.assign(this, { scope: scopes.join(' ') || undefined })
    return await save.apply(this, rest)
  }
}
