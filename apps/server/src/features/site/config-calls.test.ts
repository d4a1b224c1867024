import {
  checkConfig,
  configHistory,
  configSchema,
  openConfig,
  readConfig,
  restoreConfig,
  updateConfig,
} from '@hufu/contract/merchant-config'
import { meta, type SiteConfig } from '@hufu/contract/site'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Member, member } from '../../../test/account-user.ts'
import { makeOperator, stepUpByApp } from '../../../test/enrolled.ts'
import { startTestApp, type TestApp, type TestSite, times } from '../../../test/test-app.ts'
import { seal } from '../../platform/crypto/secrets.ts'
import { sealContext, unsealSecret } from '../../shared/sites/site-secrets.ts'

let t: TestApp
let site: TestSite
let admin: Member

beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())
beforeEach(async () => {
  site = await t.codeSite({ name: '青屿生活' })
  admin = await appoint('READ', 'WRITE', 'ADMIN')
})

async function appoint(...actions: string[]): Promise<Member> {
  const user = await member(t, site)
  await makeOperator(t.deps, site.id, user.id, actions)
  return user
}

const read = async (): Promise<SiteConfig> => (await admin.call(readConfig)).data ?? {}
const save = async (change: object, basedOn?: number) =>
  await admin.call(updateConfig, { config: { ...(await read()), ...change }, basedOn })

async function records() {
  const { rows } = await t.deps.pool.query(
    "SELECT operator, action, target, detail FROM operator_log WHERE site_id = $1 AND action LIKE 'config.%' ORDER BY at",
    [site.id],
  )
  return rows
}

const wechat = { appId: 'wx1', secret: 'the-first-secret' }

/** The secret that is in force for an app. */
function inForce(appId: string): string | undefined {
  const { config } = t.deps.sites.find(site.host) ?? {}
  return unsealSecret(t.deps.config.keys, site.id, `wechat/${appId}`, config?.wechat?.secret)
}

test('S399 S225 S400 what is saved is read back, every key in the order in which it was written', async () => {
  await stepUpByApp(t, admin)
  const config = { zeta: 1, name: '新名', alpha: { z: [{ y: 1, b: 2 }], a: null }, theme: { primary: '#112233' } }
  expect(await admin.call(updateConfig, { config })).toMatchObject({ status: 200, data: { version: 2 } })
  expect(JSON.stringify(await read())).toBe(JSON.stringify(config))
})

test('reading needs READ, saving and restoring ADMIN', async () => {
  const reader = await appoint('READ', 'WRITE')
  const visitor = await t.signIn(site)
  expect(await reader.call(readConfig)).toMatchObject({ status: 200 })
  expect(await reader.call(updateConfig, { config: {} })).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  expect(await reader.call(restoreConfig, { version: 1 })).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  for (const endpoint of [readConfig, openConfig, configHistory, configSchema])
    expect(await visitor.call(endpoint)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  expect(await t.call(site, readConfig)).toMatchObject({ status: 401 })
  expect((await admin.call(configHistory)).data?.count).toBe(1)
})

test('D047 a save based on an older version answers CONFIG_CONFLICT and changes nothing', async () => {
  await save({ name: '甲' }, 1)
  expect(await save({ name: '乙' }, 1)).toMatchObject({ status: 409, code: 'CONFIG_CONFLICT' })
  expect(await save({ name: '丙' }, 9)).toMatchObject({ code: 'CONFIG_CONFLICT' })
  expect((await read()).name).toBe('甲')
  expect(await save({ name: '丁' })).toMatchObject({ data: { version: 3 } })
})

test('D047 of twenty saves at once based on one version exactly one is made', async () => {
  const config = await read()
  const answers = await Promise.all(
    times(20, (n) => admin.call(updateConfig, { config: { ...config, name: `第${n}个` }, basedOn: 1 })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ code }) => code === 'CONFIG_CONFLICT')).toHaveLength(19)
  expect((await admin.call(configHistory)).data?.count).toBe(2)
})

test('D047 what is no object is refused', async () => {
  for (const config of [[], 'text', 1, null, true])
    expect(await admin.call(updateConfig, { config } as never)).toMatchObject({ status: 400, code: 'INPUT_INVALID' })
  expect((await admin.call(configHistory)).data?.count).toBe(1)
})

test('D003 a fault is refused at its place with a sentence, unknown keys survive', async () => {
  expect(await save({ theme: { primary: 'blue' } })).toMatchObject({
    status: 400,
    code: 'INPUT_INVALID',
    details: { field: 'theme.primary', reason: '须为 #rrggbb 形式的颜色' },
  })
  await stepUpByApp(t, admin)
  await save({ shopNote: { deep: [1] } })
  expect(await read()).toMatchObject({ shopNote: { deep: [1] } })
})

test('D004 secrets are read back masked and kept when the mask returns', async () => {
  await stepUpByApp(t, admin)
  await save({ wechat })
  expect((await read()).wechat).toEqual({ appId: 'wx1', secret: '********' })
  await save({ name: '新名' })
  expect(inForce('wx1')).toBe(wechat.secret)
})

test('D005 the next meta shows what was saved', async () => {
  await stepUpByApp(t, admin)
  await save({ name: '新名', theme: { primary: '#112233' }, methods: ['password'] })
  expect((await t.call(site, meta)).data).toMatchObject({
    name: '新名',
    theme: { primary: '#112233' },
    methods: ['password'],
  })
})

const guarded: [string, object][] = [
  ['a new secret', { wechat }],
  ['a source', { sources: ['https://shop.example.com'] }],
  ['a client', { clients: [{ id: 'shop', name: '商城', sources: [] }] }],
  ['another mail server', { mail: { host: 'smtp.example.com' } }],
  ['a limit', { limits: { passwordFailures: 99 } }],
  ['who is notified', { notices: { login: { ways: [] } } }],
  ['a secret that goes', { sms: { gateways: [] } }],
]

test.each(guarded)('changing %s needs an identity check, and nothing is saved without', async (_what, change) => {
  expect(await save(change)).toMatchObject({ status: 403, code: 'TWO_FACTOR_REQUIRED' })
  expect((await admin.call(configHistory)).data?.count).toBe(1)
  await stepUpByApp(t, admin)
  expect(await save(change)).toMatchObject({ status: 200 })
  expect(await save({ ...change, name: '新名' })).toMatchObject({ status: 200 })
})

test('a check that has run out counts no more, whatever a cache still says', async () => {
  await stepUpByApp(t, admin)
  await read()
  await t.deps.pool.query("UPDATE session SET two_factor_at = now() - interval '11 minutes' WHERE site_id = $1", [
    site.id,
  ])
  expect(await save({ sources: ['https://shop.example.com'] })).toMatchObject({ code: 'TWO_FACTOR_REQUIRED' })
})

test('the same sources and clients in any other change need no check', async () => {
  await stepUpByApp(t, admin)
  const clients = [
    { id: 'shop', name: '商城', secret: 'the-client-secret', returns: ['https://shop.example.com/back'] },
  ]
  await save({ sources: ['https://a.example.com'], clients })
  await t.deps.pool.query('UPDATE session SET two_factor_at = NULL WHERE site_id = $1', [site.id])
  expect(await save({ name: '新名' })).toMatchObject({ status: 200 })
  expect(await save({ clients: [{ ...clients[0], secret: 'another-client-secret' }] })).toMatchObject({
    code: 'TWO_FACTOR_REQUIRED',
  })
  expect(await save({ clients: [{ ...clients[0], secret: '********', returns: [] }] })).toMatchObject({
    code: 'TWO_FACTOR_REQUIRED',
  })
})

test('the secret of a client is long where it is new; a short one that is kept stays', async () => {
  await stepUpByApp(t, admin)
  const shop = { id: 'shop', name: '商城', sources: [] }
  expect(await save({ clients: [{ ...shop, secret: 'fifteen-letters' }] })).toMatchObject({
    status: 400,
    details: { field: 'clients.0.secret', reason: '不能少于 16 个字符' },
  })
  expect(await save({ clients: [{ ...shop, secret: 'sixteen-letters!' }] })).toMatchObject({ status: 200 })
  // As it was saved before there was such a rule.
  const short = seal(t.deps.config.keys, sealContext(site.id, 'clients/shop'), 'short')
  await t.deps.pool.query(
    "UPDATE site_config SET config = jsonb_set(config::jsonb, '{clients,0,secret}', to_jsonb($2::text))::json WHERE site_id = $1",
    [site.id, short],
  )
  expect(await save({ name: '新名' })).toMatchObject({ status: 200 })
  expect((await read()).clients).toEqual([{ ...shop, secret: '********' }])
})

test('the history shows who saved what when, newest first, in parts', async () => {
  await save({ name: '甲' })
  await save({ name: '乙' })
  const { data } = await admin.call(configHistory, { top: 2 })
  expect(data).toEqual({
    count: 3,
    data: [3, 2].map((version) => ({ version, time: expect.any(Number), by: admin.username, restored: null })),
  })
  const first = (await admin.call(configHistory, { top: 2, skip: 2 })).data?.data
  expect(first).toEqual([{ version: 1, time: expect.any(Number), by: null, restored: null }])
})

test('a version is opened by its number, the newest without; one that never was is not found', async () => {
  await save({ name: '甲' })
  expect((await admin.call(openConfig)).data).toMatchObject({ version: 2, by: admin.username, config: { name: '甲' } })
  expect((await admin.call(openConfig, { version: 1 })).data).toMatchObject({ by: null, config: { name: '青屿生活' } })
  expect(await admin.call(openConfig, { version: 7 })).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  expect(JSON.stringify((await admin.call(openConfig, { version: 1 })).data)).not.toContain('sealed:')
  const elsewhere = await t.codeSite()
  const stranger = await member(t, elsewhere)
  await makeOperator(t.deps, elsewhere.id, stranger.id, ['READ'])
  expect(await stranger.call(openConfig, { version: 2 })).toMatchObject({ code: 'NOT_FOUND' })
})

test('restoring saves what an earlier version said as a new one, and says so', async () => {
  await save({ name: '甲' })
  expect(await admin.call(restoreConfig, { version: 1, basedOn: 1 })).toMatchObject({ code: 'CONFIG_CONFLICT' })
  expect(await admin.call(restoreConfig, { version: 9 })).toMatchObject({ code: 'NOT_FOUND' })
  expect(await admin.call(restoreConfig, { version: 1, basedOn: 2 })).toMatchObject({ data: { version: 3 } })
  expect((await read()).name).toBe('青屿生活')
  expect((await admin.call(configHistory)).data?.data[0]).toMatchObject({ version: 3, restored: 1, by: admin.username })
})

test('restoring never brings a secret back: the present one of the same owner stays, others are gone', async () => {
  await stepUpByApp(t, admin)
  await save({ wechat })
  await save({ wechat: { appId: 'wx1', secret: 'the-second-secret' } })
  await admin.call(restoreConfig, { version: 2 })
  expect(inForce('wx1')).toBe('the-second-secret')
  await save({ wechat: { appId: 'wx2', secret: 'of-another-app' } })
  await admin.call(restoreConfig, { version: 2 })
  expect((await read()).wechat).toEqual({ appId: 'wx1' })
  expect(inForce('wx1')).toBeUndefined()
})

test('restoring needs the identity check where it touches sources, clients or secrets', async () => {
  await stepUpByApp(t, admin)
  await save({ sources: ['https://shop.example.com'] })
  await save({ name: '甲' })
  await t.deps.pool.query('UPDATE session SET two_factor_at = NULL WHERE site_id = $1', [site.id])
  expect(await admin.call(restoreConfig, { version: 1 })).toMatchObject({ code: 'TWO_FACTOR_REQUIRED' })
  expect(await admin.call(restoreConfig, { version: 2 })).toMatchObject({ status: 200 })
})

test('every save and restore is recorded with its version and the changed keys, never with values', async () => {
  await stepUpByApp(t, admin)
  await save({ name: '甲', wechat })
  await admin.call(restoreConfig, { version: 1 })
  await save({ theme: { primary: 'wrong' } })
  expect(await records()).toEqual([
    { operator: admin.id, action: 'config.save', target: '2', detail: { changed: ['name', 'wechat'] } },
    {
      operator: admin.id,
      action: 'config.restore',
      target: '3',
      detail: { changed: ['name', 'wechat'], restored: 1 },
    },
  ])
})

test('checking says everything that is wrong, in Chinese, and saves nothing', async () => {
  const client = (id: string) => ({ id, name: id, sources: ['https://a.example.com'] })
  const { data } = await admin.call(checkConfig, {
    config: {
      name: 1,
      methods: 'mobile',
      theme: { primary: 'blue' },
      regions: [{ key: 'XX', name: 'X', language: 'en' }, 7],
      registration: 'maybe',
      agreements: { terms: 'https://a.example/', privacy: 'javascript:1' },
      mail: { host: 'h', port: 70_000 },
      notices: { feedback: { operators: ['unknown'] } },
      files: { '../x.txt': 'x' },
      icp: 'x'.repeat(81),
      support: '4'.repeat(41),
      unknown: 1,
    },
  })
  expect(data?.map(({ path, message }) => `${path.join('.')} ${message}`)).toEqual([
    'name 须为文本',
    'support 须为以 http:// 或 https:// 开头的网址，或 40 个字符以内的电话号码',
    'methods 须为列表 […]',
    'regions.0.prefix 缺少 prefix',
    'regions.1 须为文本或对象 {…}',
    'theme.primary 须为 #rrggbb 形式的颜色',
    'agreements.privacy 须为以 http:// 或 https:// 开头的网址',
    'agreements.version 缺少 version',
    'icp 不能超过 80 个字符',
    'registration 只能是 "open"、"closed"',
    'mail.port 不能超过 65535',
    'notices.feedback.operators.0 须为电子邮箱地址',
    'files.../x.txt 文件名只能由字母、数字、下划线和短横线组成，并以 .txt 结尾',
  ])
  const twice = await admin.call(checkConfig, { config: { clients: [client('a'), client('b'), client('b')] } })
  expect(twice.data?.map(({ path }) => path.join('.'))).toEqual([
    'clients.2.id',
    'clients.1.sources.0',
    'clients.2.sources.0',
  ])
  expect((await admin.call(checkConfig, { config: { anything: [1] } })).data).toEqual([])
  expect((await admin.call(configHistory)).data?.count).toBe(1)
})

test('a secret under another name, which would be kept in the clear, is refused at its place', async () => {
  const gateway = { kind: 'aliyun', keyId: 'k', signName: '青屿', accessKey: 'x' }
  const { data } = await admin.call(checkConfig, {
    config: {
      wechat: { appId: 'wx1', appSecret: 'x' },
      mail: { host: 'h', passwd: 'x' },
      sms: { gateways: [gateway] },
    },
  })
  expect(data?.map(({ path, message }) => `${path.join('.')} ${message}`)).toEqual([
    'wechat.appSecret 密钥请写在「secret」中，其他名称不会加密保存',
    'mail.passwd 密钥请写在「password」中，其他名称不会加密保存',
    'sms.gateways.0.accessKey 密钥请写在「secret」中，其他名称不会加密保存',
  ])
  const elsewhere = { passwordHint: '8-16', wechat: { appId: 'wx1', note: '客服号' } }
  expect((await admin.call(checkConfig, { config: elsewhere })).data).toEqual([])
})

test('what checking lets through is saved, and what it blames is refused for the same reason', async () => {
  const configs: object[] = [
    {},
    { name: '' },
    { sources: ['https://a.example.com/path'] },
    { clients: [{ id: 'a', name: 'a', secret: '', sources: [] }] },
    { limits: { siteDay: -1 } },
    { languages: [] },
    { wechat: {} },
    { deep: JSON.parse('['.repeat(60) + ']'.repeat(60)) },
  ]
  await stepUpByApp(t, admin)
  for (const config of configs) {
    const [fault] = (await admin.call(checkConfig, { config: config as SiteConfig })).data ?? []
    const saved = await admin.call(updateConfig, { config: config as SiteConfig })
    if (!fault) expect(saved.status).toBe(200)
    else expect(saved.details).toEqual({ field: fault.path.join('.'), reason: fault.message })
    if (fault) expect(fault.message).toMatch(/[\u4e00-\u9fff]/)
  }
})

test('the schema has a Chinese sentence for every field', async () => {
  const { data } = await admin.call(configSchema)
  const silent: string[] = []
  const visit = (schema: Record<string, unknown>, path: string) => {
    for (const [name, inner] of Object.entries((schema.properties ?? {}) as Record<string, Record<string, unknown>>)) {
      if (!/[\u4e00-\u9fff]/.test(String(inner.description))) silent.push(`${path}.${name}`)
      visit(inner, `${path}.${name}`)
    }
    if (schema.items) visit(schema.items as Record<string, unknown>, `${path}[]`)
    for (const branch of (schema.anyOf ?? []) as Record<string, unknown>[]) visit(branch, path)
  }
  visit(data ?? {}, '')
  expect(silent).toEqual([])
  expect(data).toMatchObject({ properties: { name: { maxLength: 40 }, registration: { enum: ['open', 'closed'] } } })
})

test('a config of 64 KB is saved and read back', async () => {
  await stepUpByApp(t, admin)
  const notes = times(600, (n) => ({ key: `第${n}条`, text: '青屿'.repeat(10) }))
  expect(JSON.stringify(notes).length).toBeGreaterThan(20_000)
  const config = { ...(await read()), notes, filler: 'x'.repeat(64 * 1024) }
  expect(await admin.call(updateConfig, { config })).toMatchObject({ status: 200 })
  expect(await read()).toEqual(config)
})

test('a secret stays sealed at its own place when its neighbours move', async () => {
  await stepUpByApp(t, admin)
  const clients = ['a', 'b'].map((id) => ({ id, name: id, secret: `the-secret-of-app-${id}`, sources: [] }))
  await save({ clients })
  const masked = (await read()).clients ?? []
  await save({ clients: [...masked].reverse() })
  const stored = t.deps.sites.find(site.host)?.config.clients ?? []
  const opened = stored.map(({ id, secret }) => unsealSecret(t.deps.config.keys, site.id, `clients/${id}`, secret))
  expect(opened).toEqual(['the-secret-of-app-b', 'the-secret-of-app-a'])
  expect(sealContext(site.id, 'clients/a')).not.toBe(sealContext(site.id, 'clients/b'))
})
