import { meta } from '@hufu/contract/site'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp, testConfig, testKeys } from '../../../test/test-app.ts'
import { unseal } from '../../platform/crypto/secrets.ts'
import { readConfig, rotateKeys, saveConfig } from './site.service.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

const wechat = { appId: 'wx1', secret: 'a-very-secret-thing' }

async function stored(siteId: string): Promise<string> {
  const { rows } = await t.deps.pool.query('SELECT config::text FROM site_config WHERE site_id = $1 ORDER BY version', [
    siteId,
  ])
  return rows.map((row) => row.config).join('\n')
}

async function save(siteId: Parameters<typeof saveConfig>[1], config: unknown): Promise<void> {
  const { version } = await readConfig(t.deps, siteId)
  await saveConfig(t.deps, siteId, { config, basedOn: version }, 'test')
}

test('D003 unknown keys survive a save at every level', async () => {
  const site = await t.site()
  const config = { name: '甲', shopNote: { deep: [1, { more: true }] }, theme: { primary: '#112233', corner: 'round' } }
  await save(site.id, config)
  expect((await readConfig(t.deps, site.id)).config).toEqual(config)
})

test.each([
  ['a colour that is none', { theme: { primary: 'blue' } }, 'theme.primary'],
  ['a script as home address', { site: 'javascript:alert(1)' }, 'site'],
  ['a script as help', { support: 'javascript:alert(1)' }, 'support'],
  ['words as help', { support: '请联系客服' }, 'support'],
  ['a number longer than any', { support: '4'.repeat(41) }, 'support'],
  ['a picture from a data address', { logoIcon: 'data:image/svg+xml,x' }, 'logoIcon'],
  ['a picture with a backslash', { bg: '/\\evil.example/x.jpg' }, 'bg'],
  ['a source with a path', { sources: ['https://a.example.com/path'] }, 'sources.0'],
  ['methods that are no list', { methods: 'mobile' }, 'methods'],
  ['a region without prefix', { regions: [{ key: 'XX', name: 'X', language: 'en' }] }, 'regions.0.prefix'],
  ['a file outside the root', { files: { '../x.txt': 'x' } }, 'files.../x.txt'],
  [
    'two clients of one id',
    {
      clients: [
        { id: 'c', name: 'C', sources: [] },
        { id: 'c', name: 'D', sources: [] },
      ],
    },
    'clients.1.id',
  ],
  [
    'an origin of two clients',
    {
      clients: [
        { id: 'c', name: 'C', sources: ['https://a.example.com'] },
        { id: 'd', name: 'D', sources: ['https://b.example.com', 'https://a.example.com'] },
      ],
    },
    'clients.1.sources.1',
  ],
  ['no object at all', [1, 2], ''],
])('D003 a known section of the wrong shape is refused: %s', async (_title, config, field) => {
  const site = await t.site({ name: '原样' })
  await expect(save(site.id, config)).rejects.toMatchObject({ code: 'INPUT_INVALID', details: { field } })
  expect((await readConfig(t.deps, site.id)).config).toEqual({ name: '原样' })
})

test('D004 secrets are read back masked, kept when the mask returns, and never stored in the clear', async () => {
  const site = await t.site({ wechat })
  expect((await readConfig(t.deps, site.id)).config).toEqual({ wechat: { appId: 'wx1', secret: '********' } })
  await save(site.id, { name: '新名', wechat: { appId: 'wx1', secret: '********' } })
  await t.deps.sites.refresh()
  const { config } = t.deps.sites.find(site.host) ?? {}
  expect(unseal(t.deps.config.keys, `${site.id}/wechat/wx1`, config?.wechat?.secret ?? '')).toBe(wechat.secret)
  expect(await stored(site.id)).not.toContain(wechat.secret)
})

test.each([
  ['app id', { wechat }, { wechat: { appId: 'wx2', secret: '********' } }],
  [
    'mail host',
    { mail: { host: 'smtp.a.example', password: 'p' } },
    { mail: { host: 'smtp.evil.example', password: '********' } },
  ],
  [
    'key id',
    { sms: { gateways: [{ kind: 'aliyun' as const, keyId: 'k1', secret: 's', signName: 'n' }] } },
    { sms: { gateways: [{ kind: 'aliyun', keyId: 'k2', secret: '********', signName: 'n' }] } },
  ],
])('D074 A41 changing the %s beside a masked secret clears the secret', async (_what, before, after) => {
  const site = await t.site(before)
  expect(await stored(site.id)).toContain('sealed:1:')
  await save(site.id, after)
  const text = JSON.stringify((await readConfig(t.deps, site.id)).config)
  expect(text).not.toContain('********')
})

test('a sealed secret opens only at its own site and path', async () => {
  const site = await t.site({ wechat })
  await t.deps.sites.refresh()
  const sealed = t.deps.sites.find(site.host)?.config.wechat?.secret ?? ''
  const { keys } = t.deps.config
  expect(unseal(keys, `${site.id}/wechat/wx1`, sealed)).toBe(wechat.secret)
  expect(() => unseal(keys, `${site.id}/wechat/wx2`, sealed)).toThrow()
  expect(() => unseal(keys, `${crypto.randomUUID()}/wechat/wx1`, sealed)).toThrow()
})

test('of twenty saves based on the same version exactly one succeeds', async () => {
  const site = await t.site()
  const saves = Array.from({ length: 20 }, (_, index) =>
    saveConfig(t.deps, site.id, { config: { name: `第${index}个` }, basedOn: 1 }, 'test').then(
      () => 'saved',
      (error) => error.code as string,
    ),
  )
  const results = await Promise.all(saves)
  expect(results.filter((result) => result === 'saved')).toHaveLength(1)
  expect(results.filter((result) => result === 'CONFIG_CONFLICT')).toHaveLength(19)
})

test('a save based on a version that never existed is refused', async () => {
  const site = await t.site()
  await expect(saveConfig(t.deps, site.id, { config: {}, basedOn: 7 }, 'test')).rejects.toMatchObject({
    code: 'CONFIG_CONFLICT',
  })
})

test('every save is in the operators log, with the version and without the config', async () => {
  const site = await t.site({ wechat })
  await save(site.id, { name: '新名' })
  const { rows } = await t.deps.pool.query(
    'SELECT operator, action, target, detail FROM operator_log WHERE site_id = $1 ORDER BY at',
    [site.id],
  )
  expect(rows).toEqual([
    { operator: 'test', action: 'site.create', target: site.origin, detail: {} },
    { operator: 'test', action: 'config.save', target: '2', detail: { changed: ['wechat', 'name'] } },
  ])
})

test('keys rotate seals everything under the new key; the old one is no longer needed', async () => {
  const oldKey = testKeys(1)
  const own = await startTestApp({ HUFU_KEYS: oldKey })
  const site = await own.site({ wechat })
  const newKey = testKeys(2)
  const HUFU_DATABASE_URL = own.deps.config.databaseUrl
  const both = testConfig({ HUFU_DATABASE_URL, HUFU_KEYS: `${newKey},${oldKey}` })
  expect(await rotateKeys({ db: own.deps.db, config: both })).toBe(1)
  expect(await rotateKeys({ db: own.deps.db, config: both })).toBe(0)
  await own.deps.sites.refresh()
  const sealed = own.deps.sites.find(site.host)?.config.wechat?.secret ?? ''
  const onlyNew = testConfig({ HUFU_DATABASE_URL, HUFU_KEYS: newKey })
  expect(unseal(onlyNew.keys, `${site.id}/wechat/wx1`, sealed)).toBe(wechat.secret)
  await own.close()
})

test('D075 files of the config are served at the root of their own site alone', async () => {
  const site = await t.site({ files: { 'MP_verify_abc.txt': 'abc' } })
  const other = await t.site()
  const get = (host: string) => t.app.inject({ url: '/MP_verify_abc.txt', headers: { host } })
  expect(await get(site.host)).toMatchObject({ statusCode: 200, body: 'abc' })
  expect((await get(site.host)).headers['content-type']).toBe('text/plain; charset=utf-8')
  expect((await get(other.host)).statusCode).toBe(404)
})

test('prototype keys in a config are refused or stay plain keys', async () => {
  const site = await t.site()
  const evil = JSON.parse('{"deep": [{"__proto__": {"polluted": true}}]}')
  await expect(save(site.id, evil)).rejects.toMatchObject({ code: 'INPUT_INVALID' })
  await save(site.id, JSON.parse('{"constructor": {"prototype": {"polluted": true}}}'))
  await t.deps.sites.refresh()
  await t.call(site, meta)
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
})

test('lone surrogates are refused: no log or job could hold them', async () => {
  const site = await t.site()
  const reason = '含有不能使用的字符'
  const clients = [{ id: 'a', name: '\ud83d', sources: [] }]
  await expect(save(site.id, { clients })).rejects.toMatchObject({ details: { field: 'clients.0.name', reason } })
  await expect(save(site.id, { 'a\udc00': 1 })).rejects.toMatchObject({ code: 'INPUT_INVALID' })
})
