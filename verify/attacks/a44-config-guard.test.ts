import { readConfig, restoreConfig, updateConfig } from '@hufu/contract/merchant-config'
import { type SiteConfig, siteConfig } from '@hufu/contract/site'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { classification } from '../../apps/server/src/features/site/config-guard.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { type Browser, freshAddress, type Harness, openHarness } from '../harness/harness.ts'

let t: Harness
let site: TestSite
let unchecked: Browser
let checked: Browser
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({})
  unchecked = await callerOf(t, 'adminWithoutStepUp', site)
  checked = await callerOf(t, 'merchantAdmin', site)
})
afterAll(() => t.close())

/** A right value for each section of the schema, and what changing it would be good for. */
const values: Record<string, unknown> = {
  name: '别的名字',
  site: 'https://evil.example',
  support: 'https://evil.example/help',
  bg: 'https://evil.example/bg.png',
  vbg: 'https://evil.example/vbg.png',
  logoIcon: '/logo.png',
  logoImage: '/logo-wide.png',
  methods: ['mobile'],
  regions: ['CN', 'US'],
  theme: { primary: '#123456' },
  agreements: { version: '9', terms: 'https://evil.example/t', privacy: 'https://evil.example/p' },
  icp: '京ICP备00000000号',
  police: '京公网安备00000000号',
  languages: ['zh-CN'],
  registration: 'closed',
  wechat: { appId: 'wx0000000000000000', secret: 'evil-secret-evil-secret' },
  sms: { gateways: [] },
  mail: { host: 'smtp.evil.example', port: 465, user: 'u', password: 'p', from: 'a@evil.example' },
  sources: ['https://evil.example'],
  clients: [{ id: 'evil', name: '恶', secret: 'evil-secret-evil-secret', sources: ['https://evil.example'] }],
  webhooks: [{ id: 'evil', url: 'https://evil.example/', secret: `whsec_${'A'.repeat(43)}=` }],
  limits: { siteDay: 1 },
  notices: {},
  privacy: { maskLists: false },
  protection: { trustDevices: false },
  files: { 'evil.txt': 'evil' },
}

const appearance = ['name', 'theme', 'logoIcon', 'logoImage', 'bg', 'vbg', 'icp', 'police']

const present = async (): Promise<SiteConfig> => (await checked.call(readConfig, {}, freshAddress())).data as SiteConfig

test('A44 D082 every section of the schema is covered and classified', () => {
  const sections = Object.keys(siteConfig.shape).sort()
  expect(Object.keys(values).sort()).toEqual(sections)
  expect(Object.keys(classification).sort()).toEqual(sections)
  const open = Object.entries(classification).filter(([, kind]) => kind === 'appearance')
  expect(open.map(([section]) => section).sort()).toEqual(appearance.toSorted())
})

test('A44 D082 an ADMIN without a step-up changes appearance and nothing else', async () => {
  const before = await present()
  const passed: string[] = []
  for (const [section, value] of Object.entries(values)) {
    const config = { ...(await present()), [section]: value } as SiteConfig
    const { status, code, body } = await unchecked.call(updateConfig, { config }, freshAddress())
    if (status === 200) passed.push(section)
    else expect(code, `${section}: ${body}`).toBe('TWO_FACTOR_REQUIRED')
    const removed = { ...(await present()) }
    delete removed[section]
    if (section in before && (await unchecked.call(updateConfig, { config: removed }, freshAddress())).status === 200)
      passed.push(section)
  }
  figure('sections tried', Object.keys(values).length, ['>=', 24])
  figure('sections changed that are no appearance', passed.filter((section) => !appearance.includes(section)).length, [
    '=',
    0,
  ])
  expect([...new Set(passed)].sort()).toEqual(appearance.toSorted())
})

test('A44 a section that the schema does not know is guarded as well', async () => {
  const config = { ...(await present()), x_unknown: { a: 1 } } as SiteConfig
  expect((await unchecked.call(updateConfig, { config }, freshAddress())).code).toBe('TWO_FACTOR_REQUIRED')
})

test('A44 restoring an older version is a change like any other', async () => {
  const next = { ...(await present()), support: 'https://help.example' } as SiteConfig
  const saved = await checked.call(updateConfig, { config: next }, freshAddress())
  expect(saved.status, saved.body).toBe(200)
  const version = (saved.data?.version ?? 1) - 1
  expect((await unchecked.call(restoreConfig, { version }, freshAddress())).code).toBe('TWO_FACTOR_REQUIRED')
})
