import { entry } from '@hufu/contract/login'
import { updateConfig } from '@hufu/contract/merchant-config'
import { changeWechatMenu, sendWechatMessage } from '@hufu/contract/merchant-wechat'
import type { SiteConfig } from '@hufu/contract/site'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { newWechat } from '../../apps/server/test/wechat-phone.ts'
import { figure } from '../harness/assert-figure.ts'
import { callerOf } from '../harness/callers.ts'
import { type Browser, few, freshAddress, type Harness, openHarness } from '../harness/harness.ts'
import { together } from '../harness/http.ts'
import { configTexts } from './config-texts.ts'
import { escapes, scriptAddresses } from './payloads.ts'

let t: Harness
let site: TestSite
let admin: Browser & { id?: string }
beforeAll(async () => {
  t = await openHarness()
  site = await t.codeSite({ wechat: await newWechat() })
  admin = await callerOf(t, 'merchantAdmin', site)
})
afterAll(() => t.close())

const runs = (address: string) => {
  if (!URL.canParse(address, site.origin)) return true
  return !['http:', 'https:'].includes(new URL(address, site.origin).protocol)
}

const payloads = () => [...new Set([...scriptAddresses, ...escapes(site.host, 'shop.example.com')])]

const client = (own: object) => ({
  clients: [{ id: 'c', name: '店', returns: ['https://a.example/back'], ...own }],
})

/** Every place of the config whose address is opened, shown or called, with what is written there. */
const places: Record<string, (address: string) => SiteConfig> = {
  site: (address) => ({ site: address }),
  support: (address) => ({ support: address }),
  'agreements.terms': (address) => ({ agreements: { terms: address, privacy: 'https://a.example/', version: '1' } }),
  'agreements.privacy': (address) => ({ agreements: { terms: 'https://a.example/', privacy: address, version: '1' } }),
  bg: (address) => ({ bg: address }),
  vbg: (address) => ({ vbg: address }),
  logoIcon: (address) => ({ logoIcon: address }),
  logoImage: (address) => ({ logoImage: address }),
  sources: (address) => ({ sources: [address] }),
  'clients.sources': (address) => client({ sources: [address] }),
  'clients.returns': (address) => client({ returns: [address] }),
  'clients.deletionUrl': (address) => client({ deletionUrl: address }),
  'clients.logo': (address) => client({ logo: address }),
  'clients.privacy': (address) => client({ privacy: address }),
  'clients.logoutReturns': (address) => client({ kind: 'web', logoutReturns: [address] }),
  'clients.backchannelUrl': (address) => client({ kind: 'web', backchannelUrl: address }),
  'webhooks.url': (address) => ({ webhooks: [{ id: 'erp', url: address }] }),
}

/** Texts that stand in no address: shown as they are, compared, or sent to a gateway. */
const texts =
  /^(name|icp|police|methods|languages|registration|theme\.primary|agreements\.version|regions(\..*)?|files|wechat\..*|sms\..*|mail\..*|notices\..*|clients\.(id|name|kind|secret|previousSecret|scopes\..*|publicKeys.*)|webhooks\.(id|secret|previousSecret|types))$/

test('A27 every text of a config is known as an address or as something else', () => {
  const leaves = configTexts()
  expect(leaves.size).toBeGreaterThan(30)
  expect([...leaves].filter((leaf) => !texts.test(leaf)).sort()).toEqual(Object.keys(places).sort())
})

/** A phone number is no script, and is the only value allowed besides web addresses. */
const isPhone = (address: string) => /^\+?[\d -]+$/.test(address)

test('A27 no address of script is kept in a config', async () => {
  let [kept, tried] = [0, 0]
  const wrong: string[] = []
  const list = payloads()
  for (const [place, write] of Object.entries(places)) {
    for (const address of list.filter(
      (_, index) => index % few(1, 12) === Object.keys(places).indexOf(place) % few(1, 12),
    )) {
      tried++
      const save = () => admin.call(updateConfig, { config: write(address) }, freshAddress())
      const { status, body } = await save()
      expect([200, 400], body).toContain(status)
      if (status !== 200) continue
      kept++
      if (runs(address) && !isPhone(address)) wrong.push(`${place}: ${JSON.stringify(address)}`)
    }
  }
  console.log(`A27: ${tried} tries, ${kept} kept as plain ones${wrong.map((line) => `\n  ${line}`).join('')}`)
  figure('different payloads', list.length, ['>=', 500])
  figure('places of a config', Object.keys(places).length, ['>=', 12])
  figure('addresses of script kept in a config', wrong.length, ['=', 0])
}, 600_000)

test('A27 no source that would run as script is returned', async () => {
  const list = payloads()
  const browser = t.browser(site)
  const answers = await together(list.length, 32, (index) => browser.call(entry, { source: list[index] ?? '' }))
  const running = answers.filter(({ data, code }) => (data === undefined ? code !== 'INPUT_INVALID' : runs(data)))
  figure('sources answered that would run', running.length, ['=', 0])
})

test('A27 no message and no menu of WeChat opens an address of script', async () => {
  const list = scriptAddresses
  const message = { userId: admin.id ?? '', templateId: 'x', params: {} }
  const sent: string[] = []
  for (const url of list) {
    // An address that is refused is refused as input, before a user is looked up.
    const response = await admin.call(sendWechatMessage, { ...message, url }, freshAddress())
    if (response.code !== 'INPUT_INVALID' && runs(url)) sent.push(`message ${JSON.stringify(url)}: ${response.code}`)
    const data = { button: [{ type: 'view', name: '看', url }] }
    const menu = await admin.call(changeWechatMenu, { data }, freshAddress())
    if (menu.status === 200 && runs(url)) sent.push(`menu ${JSON.stringify(url)}`)
  }
  for (const line of sent.slice(0, 10)) console.log(`A27: ${line}`)
  figure('messages and menus tried', list.length * 2, ['>=', 200])
  figure('of them sent with an address of script', sent.length, ['=', 0])
})
