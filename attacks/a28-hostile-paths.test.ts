import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, chromium, type Page } from '@playwright/test'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createSite } from '../apps/server/src/features/site/site.service.ts'
import { fresh } from '../apps/server/test/test-app.ts'
import playwright from '../playwright.config.ts'
import { buildWeb } from '../tools/run/product.ts'
import { type Api, startApi } from './ground.ts'
import { few, type Harness, openHarness, password } from './harness.ts'

let web: string
let api: Api
let t: Harness
let browser: Browser
let origin: string
let username: string
beforeAll(async () => {
  web = mkdtempSync(join(tmpdir(), 'hufu-web-'))
  await buildWeb(web)
  api = await startApi({ ...inject('environment'), HUFU_WEB_FOLDER: web }, inject('logFolder'))
  t = await openHarness()
  origin = `http://${fresh.host().split('.')[0]}.localhost:${new URL(api.url).port}`
  const id = await createSite(t.deps, { origin, config: { name: '青屿生活' } }, 'attack')
  ;({ username } = await t.person({ id, host: '', origin }))
  browser = await chromium.launch(playwright.projects?.[0]?.use?.launchOptions ?? {})
}, 180_000)
afterAll(async () => {
  await browser?.close()
  await t?.close()
  await api?.stop()
  rmSync(web, { recursive: true, force: true })
})

const run = 'window.hit=1,alert(1)'

/** As they stand in the address: what is encoded here is decoded by the page, what isn't by nobody. */
const hostile = [
  encodeURIComponent(`<script>${run}</script>`),
  encodeURIComponent(`<img src=x onerror="${run}">`),
  encodeURIComponent(`"><svg onload=${run}>`),
  encodeURIComponent(`'-${run}-'`),
  encodeURIComponent(`</title></script><script>${run}</script>`),
  encodeURIComponent(`javascript:${run}`),
  encodeURIComponent(`JaVa\tScRiPt:${run}`),
  encodeURIComponent(`javascript://%0a${run}`),
  encodeURIComponent(`data:text/html,<script>${run}</script>`),
  encodeURIComponent('{{constructor.constructor("alert(1)")()}}'),
  encodeURIComponent('//evil.example/'),
  encodeURIComponent('/\\evil.example/'),
  encodeURIComponent('https://evil.example/<script>'),
  encodeURIComponent('https://user:pass@evil.example'),
  encodeURIComponent('../../api/logout'),
  encodeURIComponent('\u202egnp.exe\u202d\u2066\u200b\ufeff'),
  encodeURIComponent('\u{1f600}\ufffd\u0301\u0301\u0301'),
  '%00',
  'a%00b%0d%0aSet-Cookie:x=1',
  '%2F%2F%2e%2e%2F',
  '%252F%252e%252e',
  '..%2f..%2f',
  '%E4%zz',
  '%',
  '%c0%ae%c0%ae',
  '%ED%A0%80',
  '%u0061',
  '__proto__',
  'constructor',
  ';x=1',
  'a'.repeat(7_000),
  `${'%3C'.repeat(2_000)}`,
  "'%20OR%20'1'='1",
]

const places: [string, (value: string) => string][] = [
  ['/login', (value) => `/login/${value}`],
  ['/authorize', (value) => `/authorize/${value}`],
  ["/authorize's state", (value) => `/authorize/%2Fuser?state=${value}`],
  ['/loginAuthorize', (value) => `/loginAuthorize/${value}`],
  ["/loginApprove's id", (value) => `/loginApprove/${value}/1790000000000/203.0.113.7`],
  ["/loginApprove's time", (value) => `/loginApprove/${'A'.repeat(22)}/${value}/203.0.113.7`],
  ["/loginApprove's address", (value) => `/loginApprove/${'A'.repeat(22)}/1790000000000/${value}`],
  ["a notice's link", (value) => `/disown/${value}`],
  ["a recovery's link", (value) => `/recover/stop/${value}`],
]

/** Everything about a page that must not happen, as it happens. */
function watch(page: Page): string[] {
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (/content security policy|refused to|minified react error/i.test(message.text()))
      faults.push(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (!['data:', 'blob:'].includes(url.protocol) && url.origin !== origin) faults.push(`asked ${request.url()}`)
  })
  return faults
}

/** What keeps somebody from reading the page: it has a heading with words and a title, and nothing is left spinning. */
async function troubleOf(page: Page): Promise<string | undefined> {
  const [heading] = await page.locator('h1').filter({ visible: true }).allTextContents()
  if (!heading?.trim()) return 'no heading'
  if ((await page.title()) === '') return 'no title'
  return (await page.locator('[role=progressbar]').count()) > 0 ? 'still loading' : undefined
}

/** Pages lead on to others by themselves: what counts is where that ends. */
async function settled(page: Page): Promise<string | undefined> {
  let calm = 0
  let trouble: string | undefined = 'no page'
  for (let waited = 0; waited < 6_000 && calm < 2; waited += 100) {
    trouble = await troubleOf(page).catch(() => 'no page')
    calm = trouble ? 0 : calm + 1
    await sleep(100)
  }
  return trouble
}

async function open(page: Page, path: string, faults: string[]): Promise<string[]> {
  faults.length = 0
  const answer = await page.goto(origin + path, { waitUntil: 'load' })
  const trouble = await settled(page)
  const status = answer?.status() ?? 0
  if (trouble) faults.push(trouble)
  if (status >= 500) faults.push(`status ${status}`)
  if (new URL(page.url()).origin !== origin) faults.push(`at ${page.url()}`)
  if ((await page.evaluate('window.hit')) !== undefined) faults.push('script ran')
  return faults.map((fault) => `${path.slice(0, 120)}: ${fault}`)
}

async function visit(signedIn: boolean): Promise<{ pages: number; faults: string[] }> {
  const context = await browser.newContext({ locale: 'zh-CN' })
  const found: string[] = []
  let pages = 0
  async function walk(paths: string[]) {
    const page = await context.newPage()
    const faults = watch(page)
    for (const path of paths) {
      found.push(...(await open(page, path, faults)))
      pages++
    }
  }
  const page = await context.newPage()
  // The site is a second old: until the server has heard of it, it has no pages.
  await expect.poll(async () => (await page.goto(`${origin}/user/theme`))?.status(), { timeout: 10_000 }).toBe(200)
  if (signedIn) {
    const status = await page.evaluate(
      async ([account, password]) => {
        const headers = { 'Content-Type': 'application/json' }
        const body = JSON.stringify({ account, password })
        return (await fetch('/api/login/password', { method: 'POST', headers, body })).status
      },
      [username, password],
    )
    expect(status).toBe(200)
  }
  const paths = places.flatMap(([, path]) => hostile.filter((_, index) => index % few(1, 4) === 0).map(path))
  await Promise.all([0, 1].map((half) => walk(paths.filter((_, index) => index % 2 === half))))
  await context.close()
  return { pages, faults: found }
}

for (const signedIn of [false, true]) {
  test(`A28 hostile paths run no script, break no policy and show a page that can be read, ${signedIn ? 'signed in' : 'signed out'}`, async () => {
    const { pages, faults } = await visit(signedIn)
    console.log(
      `A28: ${pages} hostile addresses at ${places.length} places in Chromium, ${signedIn ? 'signed in' : 'signed out'}: ${faults.length} faults${faults
        .slice(0, 20)
        .map((line) => `\n  ${line}`)
        .join('')}`,
    )
    expect(faults).toEqual([])
  }, 480_000)
}
