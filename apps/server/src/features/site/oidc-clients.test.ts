import { generateKeyPairSync } from 'node:crypto'
import { checkConfig, readConfig as readCall, restoreConfig, updateConfig } from '@hufu/contract/merchant-config'
import type { SiteConfig } from '@hufu/contract/site'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Member, member } from '../../../test/account-user.ts'
import { makeOperator, stepUpByApp } from '../../../test/enrolled.ts'
import { startTestApp, type TestApp, type TestSite, testConfig, testKeys } from '../../../test/test-app.ts'
import { unsealSecret } from '../../shared/sites/site-secrets.ts'
import { readConfig, rotateKeys, saveConfig } from './site.service.ts'

let t: TestApp
let site: TestSite
let admin: Member
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())
beforeEach(async () => {
  site = await t.codeSite({ name: '青屿生活' })
  admin = await member(t, site)
  await makeOperator(t.deps, site.id, admin.id, ['READ', 'WRITE', 'ADMIN'])
  await stepUpByApp(t, admin)
})

const mask = '********'
const web = { id: 'books', name: '海风书店', kind: 'web' as const, returns: ['https://books.example.com/cb'] }
const secret = 'the-secret-of-a-client-2026'
const previousSecret = 'the-former-one-of-a-client'

const read = async (): Promise<SiteConfig> => (await admin.call(readCall)).data ?? {}
const save = async (...clients: object[]) =>
  await admin.call(updateConfig, { config: { ...(await read()), clients } as SiteConfig })

/** Both secrets that are in force, each opened at its own path. */
function inForce(id = 'books') {
  const client = t.deps.sites.find(site.host)?.config.clients?.find((each) => each.id === id)
  const open = (path: string, sealed: string | undefined) => unsealSecret(t.deps.config.keys, site.id, path, sealed)
  return [open(`clients/${id}`, client?.secret), open(`clients/${id}/previous`, client?.previousSecret)]
}

const refused = {
  status: 400,
  details: { field: 'clients.0.firstParty', reason: expect.stringContaining('新的应用编号') },
}

test.each([undefined, false, true])('D197 a saved client stays first-party or third-party: %s', async (firstParty) => {
  expect(await save({ ...web, firstParty })).toMatchObject({ status: 200 })
  expect(await save({ ...web, firstParty: !firstParty })).toMatchObject(refused)
  expect(await save({ ...web, kind: 'spa', firstParty: !firstParty })).toMatchObject(refused)
  expect(await save({ ...web, name: '新名', firstParty: firstParty ?? false })).toMatchObject({ status: 200 })
  const config = { clients: [{ ...web, firstParty: !firstParty }] }
  expect((await admin.call(checkConfig, { config })).data).toEqual([
    { path: ['clients', 0, 'firstParty'], message: expect.stringMatching(firstParty ? '自己的应用' : '第三方应用') },
  ])
})

test('D197 neither removing it nor its kind, nor the command line opens a way around', async () => {
  await save({ ...web, firstParty: true })
  await save({ ...web, kind: undefined })
  expect(await save(web)).toMatchObject(refused)
  await save()
  expect(await save(web)).toMatchObject(refused)
  const { version: basedOn } = await readConfig(t.deps, site.id)
  await expect(saveConfig(t.deps, site.id, { config: { clients: [web] }, basedOn }, 'cli:test')).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    details: refused.details,
  })
  expect(await save({ ...web, id: 'books2' })).toMatchObject({ status: 200 })
})

test('D197 a client of the legacy flow or of no users becomes either', async () => {
  const { kind, ...legacy } = web
  await save({ ...legacy, firstParty: true })
  expect(await save(web)).toMatchObject({ status: 200 })
  await save({ id: 'm', name: 'm', kind: 'machine', firstParty: true })
  expect(await save({ ...web, id: 'm' })).toMatchObject({ status: 200 })
})

test('D197 a version of another time is not restored where it would change a client', async () => {
  await save({ ...web, firstParty: true })
  const stored =
    "UPDATE site_config SET config = replace(config::text, 'true', 'false')::json WHERE site_id = $1 AND version = 2"
  await save({ ...web, firstParty: true, name: '新名' })
  await t.deps.pool.query(stored, [site.id])
  expect(await admin.call(restoreConfig, { version: 2 })).toMatchObject(refused)
})

test('D198 the former secret is sealed at its own path, shown masked, kept and dropped', async () => {
  await save({ ...web, secret, previousSecret })
  expect(inForce()).toEqual([secret, previousSecret])
  expect((await read()).clients).toEqual([{ ...web, secret: mask, previousSecret: mask }])
  await save({ ...web, name: '新名', secret: mask, previousSecret: mask })
  expect(inForce()).toEqual([secret, previousSecret])
  const { rows } = await t.deps.pool.query('SELECT config::text FROM site_config WHERE site_id = $1', [site.id])
  for (const { config } of rows) for (const hidden of [secret, previousSecret]) expect(config).not.toContain(hidden)
  await save({ ...web, secret: mask })
  expect(inForce()).toEqual([secret, undefined])
  await save({ ...web, secret: mask, previousSecret: mask })
  expect((await read()).clients).toEqual([{ ...web, secret: mask }])
})

test('D198 a mask never turns the former secret into the present one, nor follows another id', async () => {
  await save({ ...web, previousSecret })
  await save({ ...web, secret: mask, previousSecret: mask })
  expect(inForce()).toEqual([undefined, previousSecret])
  await save({ ...web, id: 'other', secret: mask, previousSecret: mask })
  expect(inForce('other')).toEqual([undefined, undefined])
})

test('D198 restoring keeps the secrets that are in force and brings none back', async () => {
  await save({ ...web, secret: 'an-older-secret-2025', previousSecret: 'an-even-older-secret' })
  await save({ ...web, secret })
  await admin.call(restoreConfig, { version: 2 })
  expect(inForce()).toEqual([secret, undefined])
  await save({ ...web, secret: mask, previousSecret })
  await admin.call(restoreConfig, { version: 2 })
  expect(inForce()).toEqual([secret, previousSecret])
})

test('D198 a version in which a client was public is restored without the secret of today', async () => {
  await save({ ...web, kind: 'spa' })
  await save({ ...web, secret })
  expect(await admin.call(restoreConfig, { version: 2 })).toMatchObject({ status: 200 })
  expect((await read()).clients).toEqual([{ ...web, kind: 'spa' }])
})

test('D198 a misnamed secret and a doubled id are blamed once', async () => {
  const faults = async (...clients: object[]) =>
    (await admin.call(checkConfig, { config: { clients } as SiteConfig })).data?.map(({ path }) => path.join('.'))
  expect(await faults({ ...web, clientSecret: 'x' })).toEqual(['clients.0.clientSecret'])
  expect(await faults(web, { ...web, returns: ['https://b.example.com/'] })).toEqual(['clients.1.id'])
})

test('D198 keys rotate seals the former secret too', async () => {
  const oldKey = testKeys(1)
  const own = await startTestApp({ HUFU_KEYS: oldKey })
  const there = await own.site({ clients: [{ ...web, secret, previousSecret }] } as SiteConfig)
  const newKey = testKeys(2)
  const HUFU_DATABASE_URL = own.deps.config.databaseUrl
  const both = testConfig({ HUFU_DATABASE_URL, HUFU_KEYS: `${newKey},${oldKey}` })
  expect(await rotateKeys({ db: own.deps.db, config: both })).toBe(1)
  await own.deps.sites.refresh()
  const sealed = own.deps.sites.find(there.host)?.config.clients?.[0]?.previousSecret
  const { keys } = testConfig({ HUFU_DATABASE_URL, HUFU_KEYS: newKey })
  expect(unsealSecret(keys, there.id, 'clients/books/previous', sealed)).toBe(previousSecret)
  await own.close()
})

test('D203 a client with every field survives a save by the back-office unchanged', async () => {
  const publicKeys = [generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })]
  const full = {
    ...web,
    logo: '/logo.png',
    firstParty: true,
    scopes: [{ name: 'profile', reason: '用于显示昵称', required: true, note: 1 }, { name: 'offline_access' }],
    privacy: 'https://books.example.com/privacy',
    secret,
    previousSecret,
    publicKeys: [{ ...publicKeys[0], kid: 'a', x5t: 'unknown' }],
    logoutReturns: ['https://books.example.com/bye'],
    backchannelUrl: 'https://books.example.com/logout',
    pkceOptional: true,
    introspection: true,
    device: true,
    deletionUrl: 'https://books.example.com/deleted',
    remark: { any: ['thing'] },
  }
  expect(await save(full)).toMatchObject({ status: 200 })
  const shown = await read()
  expect(shown.clients).toEqual([{ ...full, secret: mask, previousSecret: mask }])
  expect(await admin.call(updateConfig, { config: { ...shown, name: '新名' } })).toMatchObject({ status: 200 })
  expect((await read()).clients).toEqual(shown.clients)
  expect(inForce()).toEqual([secret, previousSecret])
})
