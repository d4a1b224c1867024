import { entry } from '@hufu/contract/login'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestSite } from '../apps/server/test/test-app.ts'
import { few, type Harness, openHarness } from './harness.ts'
import { together } from './http.ts'
import { escapes, mixed } from './payloads.ts'

const fuzzed = few(20_000, 2_000)
const allowed = 'shop.example.com'

let t: Harness
let site: TestSite
beforeAll(async () => {
  t = await openHarness()
  const config = {
    sources: [`https://${allowed}`],
    clients: [{ id: 'c', name: '店', sources: ['https://client.example.com:8443'] }],
  }
  ;[site] = (await t.sites(1, () => config)) as [TestSite]
})
afterAll(() => t.close())

/** Why a browser at the sign-in page must not be sent there, if so. */
function escapeOf(answer: string): string | undefined {
  if ([...answer].some((character) => character <= ' ' || character === '\\' || character === '\x7f'))
    return 'hidden characters'
  if (!URL.canParse(answer, `${site.origin}/login`)) return 'no address'
  const url = new URL(answer, `${site.origin}/login`)
  if (![site.origin, `https://${allowed}`, 'https://client.example.com:8443'].includes(url.origin))
    return `origin ${url.origin}`
  if (url.username || url.password) return 'userinfo'
  if (url.origin !== site.origin) return answer === url.href ? undefined : 'not as it was checked'
  if (!/^\/(?![/\\])/.test(answer)) return 'not a path'
  // Some servers and browsers decode once more than others.
  for (const path of [url.pathname, decodeURIComponent(url.pathname)]) {
    if (/^\/(api|login)([/?#]|$)/i.test(path) || /^\/[/\\]/.test(path)) return `path ${path}`
  }
  return undefined
}

async function lead(sources: string[]): Promise<{ escaped: string[]; kept: number }> {
  const browser = t.browser(site)
  const answers = await together(sources.length, 32, (index) => browser.call(entry, { source: sources[index] ?? '' }))
  const escaped = answers.flatMap(({ data, code, status }, index) => {
    // A text that can't even be read is refused before anybody looks for a source in it.
    if (code === 'INPUT_INVALID') return []
    const why = data === undefined ? `status ${status}` : escapeOf(data)
    return why === undefined ? [] : [`${JSON.stringify(sources[index])} → ${JSON.stringify(data)}: ${why}`]
  })
  return { escaped, kept: answers.filter(({ data }) => data !== undefined && data !== '/user').length }
}

test('A26 no source leads away from the site and its allowed origins', async () => {
  const payloads = [...new Set(escapes(site.host, allowed))].filter((source) => source.length <= 4_096)
  const { escaped, kept } = await lead(payloads)
  console.log(
    `A26: ${payloads.length} payloads, ${escaped.length} escaped, ${kept} answered as harmless paths${escaped.map((line) => `\n  ${line}`).join('')}`,
  )
  expect(payloads.length).toBeGreaterThanOrEqual(500)
  expect(escaped).toEqual([])
})

test('A26 no random mixture leads away either', async () => {
  const { escaped, kept } = await lead(mixed(fuzzed, site.host, allowed))
  console.log(
    `A26: ${fuzzed} random sources, ${escaped.length} escaped, ${kept} answered as harmless${escaped
      .slice(0, 20)
      .map((line) => `\n  ${line}`)
      .join('')}`,
  )
  expect(escaped).toEqual([])
})
