import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Client } from '../../shared/sites/client-gate.ts'
import { faultsOf } from './config-check.ts'

const web = { id: 'books', name: '海风书店', kind: 'web', returns: ['https://books.example.com/cb'] }
const spa = { ...web, kind: 'spa' }
const native = { ...web, kind: 'native', returns: ['com.example.app:/callback'] }
const machine = { id: 'gateway', name: '网关', kind: 'machine' }
const secret = 'sixteen-letters-or-more'

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ec = publicKey.export({ format: 'jwk' })
const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' })

/** What is wrong with a client, by the path below it. */
const wrong = (client: object) =>
  faultsOf({ clients: [client as Client] }).map(({ path: [, , ...path], message }) => {
    expect(message).toMatch(/[\u4e00-\u9fff]/)
    return path.join('.')
  })

test.each([
  ['a site', { ...web, secret, previousSecret: secret, pkceOptional: true, introspection: true }],
  ['a site with keys', { ...web, publicKeys: [ec] }],
  ['a site without a secret yet', web],
  ['a page without a server', { ...spa, backchannelUrl: 'https://books.example.com/logout' }],
  ['an app', native],
  ['a television, without an address', { ...native, device: true, returns: undefined }],
  ['a site that also signs devices in', { ...web, device: true }],
  ['an app on a port of the machine', { ...native, returns: ['http://127.0.0.1/cb'] }],
  ['a machine', { ...machine, secret, introspection: true }],
  ['fields that say no', { ...spa, pkceOptional: false, introspection: false, publicKeys: [] }],
])('D193 each kind of client is accepted with what belongs to it: %s', (_what, client) => {
  expect(wrong(client)).toEqual([])
})

const ofPublic = {
  secret,
  previousSecret: secret,
  publicKeys: [ec],
  pkceOptional: true,
  introspection: true,
  deletionUrl: 'https://books.example.com/deleted',
}
const ofUsers = {
  returns: web.returns,
  logoutReturns: ['https://books.example.com/bye'],
  scopes: [{ name: 'profile' }],
  backchannelUrl: 'https://books.example.com/logout',
  pkceOptional: true,
  device: true,
  deletionUrl: 'https://books.example.com/deleted',
}

const others = Object.keys(ofUsers).filter((field) => field !== 'scopes')

test.each([
  ['spa', { ...spa, ...ofPublic, device: true }, [...Object.keys(ofPublic), 'device']],
  ['native', { ...native, ...ofPublic, returns: web.returns }, Object.keys(ofPublic)],
  ['machine', { ...machine, ...ofUsers }, [...others, 'scopes.0.name']],
])('D193 what a kind can’t use is refused under its field: %s', (_kind, client, fields) => {
  expect(wrong(client)).toEqual(fields)
})

test.each([web, spa, native])('D193 a client that signs users in has an address to return to: $kind', (client) => {
  expect(wrong({ ...client, returns: [] })).toEqual(['returns'])
  expect(wrong({ ...client, returns: undefined })).toEqual(['returns'])
})

test('D313 a client of devices alone has no address to return to; pages and machines are none', () => {
  expect(wrong({ ...native, device: true, returns: [] })).toEqual([])
  expect(wrong({ ...web, device: true, returns: undefined })).toEqual([])
  expect(wrong({ ...native, device: false, returns: [] })).toEqual(['returns'])
  expect(wrong({ ...spa, device: true })).toEqual(['device'])
  expect(wrong({ ...machine, device: true })).toEqual(['device'])
})

test('D193 a masked secret is one too where the kind has none', () => {
  expect(wrong({ ...spa, secret: '********' })).toEqual(['secret'])
})

test.each([
  ['书店', 'id'],
  ['a b', 'id'],
  ['a/b', 'id'],
  ['a:b', 'id'],
  ['a%b', 'id'],
  ['-a', 'id'],
])('D193 the id of a client can be sent in a header as it is: %s', (id, field) => {
  expect(wrong({ ...web, id })).toEqual([field])
  const { kind, ...legacy } = web
  expect(wrong({ ...legacy, id })).toEqual([])
})

test('D198 no client has an id under which another one’s former secret is sealed', () => {
  expect(wrong({ ...web, kind: undefined, id: 'books/previous', secret: '********' })).toEqual(['id'])
})

test('D193 a new secret of an OpenID Connect client has printable letters, and enough of them', () => {
  for (const field of ['secret', 'previousSecret']) {
    expect(wrong({ ...web, [field]: 'fifteen-letters' })).toEqual([field])
    expect(wrong({ ...web, [field]: '一二三四五六七八九十一二三四五六' })).toEqual([field])
    expect(wrong({ ...web, [field]: 'sixteen letters and spaces' })).toEqual([field])
    expect(wrong({ ...web, [field]: '********' })).toEqual([])
  }
})

test('D193 each scope is named once', () => {
  const scopes = ['profile', 'email', 'profile', 'email'].map((name) => ({ name }))
  expect(wrong({ ...web, scopes })).toEqual(['scopes.2.name', 'scopes.3.name'])
  expect(wrong({ ...web, scopes: scopes.slice(0, 2) })).toEqual([])
  expect(wrong({ ...web, scopes: [{ name: 'openid' }] })).toEqual(['scopes.0.name'])
})

test.each(['returns', 'logoutReturns'])('D194 the scheme of an app is for native clients alone: %s', (list) => {
  const app = ['com.example.app:/callback']
  expect(wrong({ ...native, returns: app, [list]: app })).toEqual([])
  const legacy = { ...web, kind: undefined }
  for (const client of [web, spa, legacy]) expect(wrong({ ...client, [list]: app })).toContain(`${list}.0`)
  for (const address of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'myapp:/cb', 'app.a:cb'])
    expect(wrong({ ...native, [list]: [address] })).toContain(`${list}.0`)
})

test('D194 an app listens on its own machine without https', () => {
  expect(wrong({ ...native, returns: ['https://localhost/cb'] })).toEqual(['returns.0'])
  expect(wrong({ ...native, returns: ['https://localhost.example.com/cb'] })).toEqual([])
})

test.each([
  ['another name', ['https://books.example.com/cb', 'https://m.example.com/cb']],
  ['another port', ['https://books.example.com/cb', 'https://books.example.com:8443/cb']],
  ['a developer’s machine', ['https://books.example.com/cb', 'http://localhost:3000/cb']],
])('D195 the addresses of a third-party client are of one host: %s', (_what, returns) => {
  expect(wrong({ ...web, returns })).toEqual(['returns.1'])
  expect(wrong({ ...web, firstParty: true, returns })).toEqual([])
  expect(wrong({ ...web, kind: undefined, returns })).toEqual([])
  expect(wrong({ ...web, returns: ['https://books.example.com/cb', 'https://books.example.com/other'] })).toEqual([])
})

test.each([
  ['http://books.example.com/logout', false],
  ['https://other.example.com/logout', false],
  ['https://books.example.com:8443/logout', false],
  ['https://books.example.com/logout', true],
])('D195 sign-outs are reported to the client itself, encrypted: %s', (backchannelUrl, fine) => {
  expect(wrong({ ...web, backchannelUrl })).toEqual(fine ? [] : ['backchannelUrl'])
})

test('D195 a client on the own machine is notified there, and an origin of the first version doesn’t count', () => {
  const local = { ...web, returns: ['http://localhost:3000/cb'] }
  expect(wrong({ ...local, backchannelUrl: 'http://localhost:3000/logout' })).toEqual([])
  const backchannelUrl = 'https://old.example.com/logout'
  expect(wrong({ ...web, sources: ['https://old.example.com'], backchannelUrl })).toEqual(['backchannelUrl'])
  expect(wrong({ ...native, backchannelUrl: 'https://books.example.com/logout' })).toEqual(['backchannelUrl'])
})

test.each([
  ['a private key', privateKey.export({ format: 'jwk' }), 'd'],
  ['a shared secret', { kty: 'oct', k: 'c2VjcmV0' }, 'k'],
  ['part of an RSA key', { ...rsa(2048), dq: 'AQAB' }, 'dq'],
  ['no type', { x: ec.x, y: ec.y }, 'kty'],
  ['an unknown curve', { ...ec, crv: 'secp256k1' }, 'crv'],
  ['a key for encryption', { ...ec, use: 'enc' }, 'use'],
  ['a name that is none', { ...ec, kid: 7 }, 'kid'],
  ['a short RSA key', rsa(1024), 'n'],
  ['a point off the curve', { ...ec, x: ec.y }, ''],
  ['nothing but the type', { kty: 'RSA' }, ''],
])('D196 keys of clients are public and can verify a signature: %s', (_what, key, field) => {
  const at = ['publicKeys.1', field].filter(Boolean).join('.')
  expect(wrong({ ...web, publicKeys: [ec, key] })).toEqual([at])
  expect(wrong({ ...machine, publicKeys: [ec, key] })).toEqual([at])
})

test('D196 RSA, EC and Ed25519 keys are accepted', () => {
  const ed = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
  expect(wrong({ ...web, publicKeys: [rsa(2048), { ...ec, kid: 'a', use: 'sig', alg: 'ES256' }, ed] })).toEqual([])
})

test('D284 clients of OpenID Connect may share an address of return; one of the legacy flow has its own', () => {
  const at = (...clients: object[]) => faultsOf({ clients: clients as Client[] }).map(({ path }) => path.join('.'))
  const other = { ...web, id: 'other' }
  expect(at(web, other, { ...spa, id: 'page' })).toEqual([])
  expect(at(web, { ...other, kind: undefined })).toEqual(['clients.1.returns.0'])
  expect(at({ ...web, kind: undefined }, other)).toEqual(['clients.1.returns.0'])
})
