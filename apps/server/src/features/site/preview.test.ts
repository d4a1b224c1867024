import { openConfig, previewConfig, readConfig, updateConfig } from '@hufu/contract/merchant-config'
import { meta } from '@hufu/contract/site'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Member, member } from '../../../test/account-user.ts'
import { makeOperator, stepUpByApp } from '../../../test/enrolled.ts'
import { startTestApp, type TestApp, type TestSite } from '../../../test/test-app.ts'

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

const config = {
  name: '白鹭书屋',
  bg: '/api/site/picture?id=1',
  logoIcon: 'https://cdn.example.com/i.png',
  methods: ['wechat', 'nothing', 'wechat', 'mobile'],
  regions: ['HK', 'CN', 'nowhere'],
  theme: { primary: '#0f766e', more: 1 },
  agreements: { terms: 'https://a.example/t', privacy: 'https://a.example/p', version: '2026-11', more: 1 },
  icp: '粤ICP备2026118204号-1',
  registration: 'closed',
  unknown: [1],
}

test('the preview shows the public meta of the config as if saved, and saves nothing', async () => {
  await stepUpByApp(t, admin)
  const { data: told } = await admin.call(previewConfig, { config })
  expect(told).toMatchObject({ name: '白鹭书屋', methods: ['wechat', 'mobile'], registration: 'closed' })
  expect((await t.call(site, meta)).data?.name).toBe('青屿生活')
  expect((await admin.call(openConfig, {})).data?.version).toBe(1)
  await admin.call(updateConfig, { config })
  expect((await t.call(site, meta)).data).toEqual(told)
})

test('a config that could not be saved has no preview', async () => {
  const faulty = [
    { theme: { primary: 'blue' } },
    { name: '' },
    {
      clients: [
        { id: 'a', name: 'A', sources: [] },
        { id: 'a', name: 'B', sources: [] },
      ],
    },
  ]
  for (const wrong of faulty)
    expect(await admin.call(previewConfig, { config: wrong })).toMatchObject({ status: 200, data: null })
  expect(await admin.call(previewConfig, { config: [] } as never)).toMatchObject({ status: 400, code: 'INPUT_INVALID' })
})

test('a masked secret counts where saving would keep it, and not where it would be dropped', async () => {
  const enabled = async (wechat: object) =>
    (await admin.call(previewConfig, { config: { ...config, wechat } })).data?.wechatEnabled
  expect(await enabled({ appId: 'wx1', secret: '********' })).toBe(false)
  expect(await enabled({ appId: 'wx1', secret: 'typed' })).toBe(true)
  await stepUpByApp(t, admin)
  await admin.call(updateConfig, { config: { ...config, wechat: { appId: 'wx1', secret: 'kept' } } })
  expect((await admin.call(readConfig)).data?.wechat).toEqual({ appId: 'wx1', secret: '********' })
  expect(await enabled({ appId: 'wx1', secret: '********' })).toBe(true)
  expect(await enabled({ appId: 'wx2', secret: '********' })).toBe(false)
  expect(await enabled({ appId: 'wx1' })).toBe(false)
})

test('no secret and no private section is shown', async () => {
  const secret = 'the-typed-secret'
  const { data } = await admin.call(previewConfig, {
    config: { ...config, wechat: { appId: 'wx1', secret }, sources: ['https://shop.example.com'] },
  })
  expect(JSON.stringify(data)).not.toMatch(/the-typed-secret|wx1|shop\.example|unknown|more/)
})

test('the preview needs READ', async () => {
  const reader = await appoint('READ')
  expect(await reader.call(previewConfig, { config })).toMatchObject({ status: 200, data: { name: '白鹭书屋' } })
  expect(await (await t.signIn(site)).call(previewConfig, { config })).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  expect(await t.call(site, previewConfig, { config })).toMatchObject({ status: 401 })
})
