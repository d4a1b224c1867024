import { entry } from '@hufu/contract/login'
import { updateConfig } from '@hufu/contract/merchant-config'
import type { SiteConfig } from '@hufu/contract/site'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestSite } from '../apps/server/test/test-app.ts'
import { callerOf } from './callers.ts'
import { freshAddress, type Harness, openHarness } from './harness.ts'
import { together } from './http.ts'
import { escapes, scriptAddresses } from './payloads.ts'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  ;[site] = (await t.sites(1)) as [TestSite]
})
afterAll(() => t.close())

const runs = (address: string) => {
  if (!URL.canParse(address, site.origin)) return true
  return !['http:', 'https:'].includes(new URL(address, site.origin).protocol)
}

const payloads = () => [...new Set([...scriptAddresses, ...escapes(site.host, 'shop.example.com')])]

/** Every place of the config whose address a page opens or shows, with what is written there. */
const places: Record<string, (address: string) => SiteConfig> = {
  site: (address) => ({ site: address }),
  'agreements.terms': (address) => ({ agreements: { terms: address, privacy: 'https://a.example/', version: '1' } }),
  'agreements.privacy': (address) => ({ agreements: { terms: 'https://a.example/', privacy: address, version: '1' } }),
  bg: (address) => ({ bg: address }),
  vbg: (address) => ({ vbg: address }),
  logoIcon: (address) => ({ logoIcon: address }),
  logoImage: (address) => ({ logoImage: address }),
}

test('A27 no address of script is kept in a config', async () => {
  let kept = 0
  const admin = await callerOf(t, 'merchantAdmin', site)
  const wrong: string[] = []
  const list = payloads()
  for (const [place, write] of Object.entries(places)) {
    for (const address of list) {
      const { status, body } = await admin.call(updateConfig, { config: write(address) }, freshAddress())
      expect([200, 400], body).toContain(status)
      if (status !== 200) continue
      kept++
      if (runs(address)) wrong.push(`${place}: ${JSON.stringify(address)}`)
    }
  }
  console.log(
    `A27: ${list.length} addresses at ${Object.keys(places).length} places, ${kept} kept as plain ones, ${wrong.length} that run${wrong.map((line) => `\n  ${line}`).join('')}`,
  )
  expect(list.length).toBeGreaterThanOrEqual(500)
  expect(wrong).toEqual([])
})

test('A27 no source is answered that would run', async () => {
  const list = payloads()
  const browser = t.browser(site)
  const answers = await together(list.length, 32, (index) => browser.call(entry, { source: list[index] ?? '' }))
  const running = answers.filter(({ data, code }) => (data === undefined ? code !== 'INPUT_INVALID' : runs(data)))
  console.log(`A27: ${list.length} sources, ${running.length} answered that would run`)
  expect(running).toEqual([])
})
