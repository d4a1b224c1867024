import { generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto'
import { type Adapter, Provider } from 'oidc-provider'
import { expect, test } from 'vitest'
import { parseKeys } from '../../platform/crypto/secrets.ts'
import { newSiteId } from '../../platform/ids.ts'
import type { Client } from '../../shared/sites/client-gate.ts'
import { hasOidcClients, shownClient } from '../../shared/sites/oidc-clients.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { requireFaultless } from '../site/config-check.ts'
import { sealSecrets } from '../site/config-secrets.ts'
import { clientMetadata, findOidcClient, matchesSecret } from './client-metadata.ts'

const keys = parseKeys(`1:${randomBytes(32).toString('base64')}`)
const pair = (type: 'rsa' | 'ec' | 'ed25519') => {
  const { publicKey, privateKey } =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : type === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('ed25519')
  return { public: publicKey.export({ format: 'jwk' }), private: privateKey.export({ format: 'jwk' }) }
}
const rsa = pair('rsa')

const secret = 'the-secret-of-a-client-2026'
const previousSecret = 'the-former-one-of-a-client'
const web = { id: 'books', name: '海风书店', kind: 'web' as const, returns: ['https://books.example.com/cb'] }
const clients = {
  web: {
    ...web,
    secret,
    previousSecret,
    logo: '/api/picture/1',
    privacy: 'https://books.example.com/privacy',
    scopes: [{ name: 'profile' }, { name: 'phone', reason: '用于发送订单通知', required: true }],
    logoutReturns: ['https://books.example.com/bye'],
    backchannelUrl: 'https://books.example.com/logout',
    pkceOptional: true,
  },
  'web, without a secret yet': web,
  'web, of our own': {
    ...web,
    firstParty: true,
    secret,
    returns: ['https://books.example.com/cb', 'http://localhost:3000/cb'],
    scopes: [{ name: 'offline_access' }, { name: 'email' }],
  },
  'web with keys': {
    ...web,
    publicKeys: [rsa.public, { ...pair('ec').public, kid: 'e', use: 'sig' }, pair('ed25519').public],
  },
  spa: { ...web, kind: 'spa', returns: ['https://app.example.com/', 'https://app.example.com/cb'] },
  'native with a scheme': { ...web, kind: 'native', returns: ['com.example.app:/callback'] },
  'native with a port': {
    ...web,
    kind: 'native',
    returns: ['http://127.0.0.1/cb'],
    logoutReturns: ['com.example.app://bye'],
  },
  machine: { id: 'gateway', name: '网关', kind: 'machine', secret, introspection: true },
  'machine with keys': { id: 'gateway', name: '网关', kind: 'machine', publicKeys: [rsa.public] },
} satisfies Record<string, Client>

const siteOf = (...list: Client[]): Site => {
  const id = newSiteId()
  const config = sealSecrets(keys, id, requireFaultless({ clients: list }), {})
  return { id, origin: 'https://id.example.com', config } as Site
}

const onlyOf = (site: Site): Client => {
  const [client] = site.config.clients ?? []
  if (!client) throw new Error('no client')
  return client
}

/** The client as the provider reads it. */
async function accepted(client: Client) {
  const site = siteOf(client)
  const metadata = clientMetadata(site, onlyOf(site))
  const provider = new Provider(site.origin, {
    adapter: () => ({ find: async () => metadata }) as unknown as Adapter,
    jwks: { keys: [rsa.private as JsonWebKey & { kty: string }] },
    scopes: ['openid', 'offline_access', 'profile', 'phone', 'email'],
    responseTypes: ['code'],
    subjectTypes: ['public', 'pairwise'],
    pairwiseIdentifier: () => 'x',
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    extraClientMetadata: { properties: ['firstParty', 'pkceOptional', 'introspection', 'device'] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
  })
  return await provider.Client.find(client.id)
}

test.each(Object.keys(clients))('D200 the provider takes a client of every kind: %s', async (name) => {
  const client: Client = clients[name as keyof typeof clients]
  const taken = await accepted(client)
  expect(taken).toMatchObject({
    clientId: client.id,
    clientName: client.name,
    idTokenSignedResponseAlg: 'RS256',
    redirectUris: client.returns ?? [],
    postLogoutRedirectUris: client.logoutReturns ?? [],
    scope: ['openid', ...(client.scopes ?? []).map((scope) => scope.name)].join(' '),
    firstParty: client.firstParty === true,
  })
})

test('D200 the provider knows how each kind proves itself and which flows it may use', async () => {
  const login = { grantTypes: ['authorization_code', 'refresh_token'], responseTypes: ['code'] }
  expect(await accepted(clients.web)).toMatchObject({
    ...login,
    applicationType: 'web',
    clientAuthMethod: 'client_secret_basic',
    subjectType: 'pairwise',
    backchannelLogoutUri: 'https://books.example.com/logout',
    backchannelLogoutSessionRequired: true,
    pkceOptional: true,
  })
  expect(await accepted(clients['web, of our own'])).toMatchObject({ subjectType: 'public', pkceOptional: false })
  const signing = await accepted(clients['web with keys'])
  expect(signing).toMatchObject({ clientAuthMethod: 'private_key_jwt' })
  expect(signing?.clientSecret).toBeUndefined()
  expect(await accepted(clients.spa)).toMatchObject({ ...login, clientAuthMethod: 'none', applicationType: 'web' })
  const native = await accepted(clients['native with a port'])
  expect(native).toMatchObject({ ...login, clientAuthMethod: 'none', applicationType: 'native' })
  expect(native?.redirectUriAllowed('http://127.0.0.1:49152/cb')).toBe(true)
  expect(native?.redirectUriAllowed('http://127.0.0.1:49152/other')).toBe(false)
  expect(await accepted(clients.machine)).toMatchObject({
    grantTypes: ['client_credentials'],
    responseTypes: [],
    clientAuthMethod: 'client_secret_basic',
    introspection: true,
  })
})

test('D200 no secret of a client reaches the provider', async () => {
  const taken = JSON.stringify(await accepted(clients.web))
  for (const hidden of [secret, previousSecret, 'sealed:']) expect(taken).not.toContain(hidden)
})

test('D200 a client without a kind belongs to the legacy flow alone', () => {
  const site = siteOf({ id: 'old', name: '旧', returns: ['https://old.example.com/cb'] })
  expect(clientMetadata(site, onlyOf(site))).toBeUndefined()
  expect(findOidcClient(site, 'old')).toBeUndefined()
  expect(hasOidcClients(site)).toBe(false)
  const other = siteOf(clients.web)
  expect(findOidcClient(other, 'books')?.name).toBe('海风书店')
  expect(findOidcClient(other, 'Books')).toBeUndefined()
  expect(hasOidcClients(other)).toBe(true)
  expect(hasOidcClients(siteOf())).toBe(false)
})

test('D199 a client proves itself by its secret and by the former one, and by nothing else', () => {
  const site = siteOf(clients.web)
  const client = onlyOf(site)
  const matches = (sent: string) => matchesSecret(keys, site, client, sent)
  expect([secret, previousSecret].map(matches)).toEqual([true, true])
  const wrong = ['', secret.slice(1), `${secret} `, String(client.secret), String(client.previousSecret)]
  expect(wrong.map(matches)).toEqual(wrong.map(() => false))
  const finished = siteOf({ ...web, secret })
  expect(matchesSecret(keys, finished, onlyOf(finished), previousSecret)).toBe(false)
  const without = siteOf(web)
  const placeholder = clientMetadata(without, onlyOf(without))?.client_secret ?? ''
  expect(placeholder).toHaveLength(43)
  for (const sent of ['', placeholder]) expect(matchesSecret(keys, without, onlyOf(without), sent)).toBe(false)
})

test('D204 users see the name, picture and host of a client and whether it is of the brand', () => {
  const shown = (client: Client) => shownClient(siteOf(client), client)
  expect(shown(clients.web)).toEqual({
    id: 'books',
    name: '海风书店',
    logo: '/api/picture/1',
    host: 'books.example.com',
    firstParty: false,
    privacy: 'https://books.example.com/privacy',
  })
  expect(shown(clients['web, of our own'])).toMatchObject({ logo: null, privacy: null, firstParty: true })
  expect(shown(clients['native with a scheme']).host).toBeNull()
  const both = ['com.example.app:/cb', 'https://app.example.com:8443/cb']
  expect(shown({ ...web, kind: 'native', firstParty: true, returns: both }).host).toBe('app.example.com:8443')
})
