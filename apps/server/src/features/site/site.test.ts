import { meta } from '@hufu/contract/site'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { timeLimit } from '../../../../../tools/checks/time-limit.ts'
import { startTestApp, type TestApp } from '../../../test/test-app.ts'
import { changeSite, readConfig, saveConfig } from './site.service.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())

const full = {
  name: '青屿生活',
  site: 'https://www.qingyu.example',
  bg: '/images/bg.jpg',
  vbg: 'https://cdn.example.com/vbg.jpg',
  logoIcon: '/icon.png',
  logoImage: '/logo.png',
  methods: ['password', 'mobile'],
  regions: ['CN', 'HK'],
}

test('S188 S355 the meta has every field of the specification', async () => {
  const site = await t.site(full)
  const answer = await t.call(site, meta)
  expect(answer.status).toBe(200)
  expect(answer.data).toMatchObject({ ...full, regions: [{ key: 'CN' }, { key: 'HK' }] })
})

test('S192 D075 a region named by its key is expanded with all its fields', async () => {
  const site = await t.site({ regions: ['HK'] })
  const { data } = await t.call(site, meta)
  expect(data?.regions).toEqual([
    {
      key: 'HK',
      name: '中国香港',
      names: ['中国香港', 'Hong Kong', '香港'],
      nativeName: '香港',
      language: 'zh-HK',
      languages: ['zh-HK', 'en-HK'],
      prefix: '852',
    },
  ])
})

test('a site without a config still has a name, all methods, the fallback region and the default colour', async () => {
  const site = await t.site()
  const { data } = await t.call(site, meta)
  expect(data).toMatchObject({
    methods: ['mobile', 'password', 'wechat'],
    regions: [{ key: 'CN', prefix: '86', language: 'zh-CN' }],
    theme: { primary: '#5374fa' },
    languages: ['zh-CN'],
    registration: 'open',
    wechatEnabled: false,
  })
})

test.each(['https://help.example.com/chat?from=login', '400-820 8820', '+86 21 6010 8820'])(
  'the help address is public: %s',
  async (support) => {
    const site = await t.site({ support })
    expect((await t.call(site, meta)).data?.support).toBe(support)
  },
)

test('unknown methods are ignored, repeated ones show once, and none left means all', async () => {
  const some = await t.site({ methods: ['wechat', 'passkey', 'wechat', 'mobile'] })
  expect((await t.call(some, meta)).data?.methods).toEqual(['wechat', 'mobile'])
  const none = await t.site({ methods: ['passkey'] })
  expect((await t.call(none, meta)).data?.methods).toEqual(['mobile', 'password', 'wechat'])
})

test('D002 the meta holds no private section and no unknown key of the config', async () => {
  const site = await t.site({
    wechat: { appId: 'wx1', secret: 's3cret-wechat' },
    sms: { gateways: [{ kind: 'aliyun', keyId: 'k', secret: 's3cret-sms', signName: 'n' }] },
    mail: { host: 'smtp.example.com', password: 's3cret-mail' },
    sources: ['https://a.example.com'],
    clients: [{ id: 'c', name: 'C', secret: 's3cret-of-client', sources: [] }],
    limits: { perHour: 5 },
    notices: { mail: true },
    loading: { visible: true },
    internal: 'note',
  })
  const { data } = await t.call(site, meta)
  expect(Object.keys(data ?? {}).sort()).toEqual(
    ['languages', 'methods', 'name', 'regions', 'registration', 'theme', 'wechatEnabled'].sort(),
  )
  expect(data?.wechatEnabled).toBe(true)
})

test('D001 each host answers with its own site, in any spelling', async () => {
  const one = await t.site({ name: '甲' })
  const two = await t.site({ name: '乙' })
  for (const host of [one.host, `${one.host}:8443`, one.host.toUpperCase(), `${one.host}.`]) {
    expect((await t.call({ ...one, host }, meta)).data?.name).toBe('甲')
  }
  expect((await t.call(two, meta)).data?.name).toBe('乙')
})

test('D001 an unknown host is refused, whatever forwarded headers claim', async () => {
  const site = await t.site()
  const reply = await t.app.inject({
    method: 'POST',
    url: '/api/meta',
    headers: { host: 'unknown.example.com', 'x-forwarded-host': site.host, forwarded: `host=${site.host}` },
  })
  expect(reply.statusCode).toBe(404)
  expect(reply.json().code).toBe('SITE_UNKNOWN')
})

test('a disabled site answers calls with a sentence and still serves its page', async () => {
  const site = await t.site()
  await changeSite(t.deps, site.id, { status: 'disabled' }, 'test')
  await t.deps.sites.refresh()
  const answer = await t.call(site, meta)
  expect(answer).toMatchObject({ status: 503, code: 'SITE_DISABLED', message: '站点暂停服务' })
})

test('a change is in force in another process within 2 s', async () => {
  const other = await startTestApp({ HUFU_DATABASE_URL: t.deps.config.databaseUrl })
  const site = await t.site({ name: '旧名' })
  await other.deps.sites.refresh()
  const { version } = await readConfig(t.deps, site.id)
  await saveConfig(t.deps, site.id, { config: { name: '新名' }, basedOn: version }, 'test')
  const saved = performance.now()
  await expect
    .poll(async () => (await other.call(site, meta)).data?.name, { timeout: timeLimit(5_000), interval: 50 })
    .toBe('新名')
  expect(performance.now() - saved).toBeLessThan(timeLimit(2_000))
  await other.close()
})
