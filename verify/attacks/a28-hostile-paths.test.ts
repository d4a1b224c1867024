import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pages } from '@hufu/contract/pages'
import { type Browser, chromium, type Page } from '@playwright/test'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import { makeOperator } from '../../apps/server/test/enrolled.ts'
import { fresh } from '../../apps/server/test/test-app.ts'
import playwright from '../../playwright.config.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Api, startApi } from '../harness/environment.ts'
import { few, type Harness, openHarness, type User } from '../harness/harness.ts'
import { builtPages } from './built-pages.ts'
import { giveCookies } from './give-cookies.ts'

let api: Api
let t: Harness
let browser: Browser
let origin: string
let operator: User
beforeAll(async () => {
  const folder = await builtPages()
  api = await startApi({ ...inject('environment'), HUFU_WEB_FOLDER: folder }, inject('logFolder'))
  t = await openHarness()
  origin = `http://${fresh.host().split('.')[0]}.localhost:${new URL(api.url).port}`
  const id = await createSite(t.deps, { origin, config: { name: '青屿生活' } }, 'attack')
  const site = { id, host: '', origin }
  const user = await t.user(site)
  await makeOperator(t.deps, id, user.id, ['READ', 'WRITE', 'ADMIN'], 'attack')
  operator = await t.session(site, user.id)
  browser = await chromium.launch(playwright.projects?.[0]?.use?.launchOptions ?? {})
}, 180_000)
afterAll(async () => {
  await browser?.close()
  await t?.close()
  await api?.stop()
})

const run = 'window.hit=1,alert(1)'

/** As in the address bar: only what is encoded here is decoded, by the page. */
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

/** Something that each parameter may be, for where another one of the same page is hostile. */
const harmless: Record<string, string> = { id: 'A'.repeat(22), time: '1790000000000', ip: '203.0.113.7' }

/** Every parameter of every page, one at a time. */
const places = Object.values(pages).flatMap((page) =>
  [...page.matchAll(/:(\w+)/g)].map(
    ([, wanted = '']) =>
      (value: string) =>
        page.replace(/:(\w+)/g, (_, name: string) => (name === wanted ? value : (harmless[name] ?? 'x'))),
  ),
)

/** Whatever the pages read from the query, by name. */
function queryNames(): string[] {
  const web = join(import.meta.dirname, '../../apps/web/src')
  const files = globSync('**/*.{ts,tsx}', { cwd: web }).filter((file) => !/\.test\.tsx?$/.test(file))
  const asked = /(?:params|search|searchParams|URLSearchParams\([^)]*\))\s*\.get\('(\w+)'\)/gi
  const sources = files.map((file) => readFileSync(join(web, file), 'utf8'))
  const found = sources.flatMap((source) => [...source.matchAll(asked)].map(([, name = '']) => name))
  // Those of an authorization are read by a list of their names.
  const listed = sources.flatMap((source) => /const carried = \[([^\]]+)\]/.exec(source)?.[1]?.match(/\w+/g) ?? [])
  return [...new Set([...found, ...listed])]
}

/** Every page with the value in everything that any of them reads from its address. */
function withQuery(page: string, value: string): string {
  const path = page.replace(/:(\w+)/g, (_, name: string) => harmless[name] ?? '%2Fuser')
  return `${path}?${[...queryNames(), '__proto__'].map((name) => `${name}=${value}`).join('&')}#${value}`
}

/** What an address may be long at most: more is refused before any page. */
const longest = 14_000

const pathsOf = (): string[] => [
  ...places.flatMap((path) => hostile.filter((_, index) => index % few(1, 8) === 0).map(path)),
  ...Object.values(pages).flatMap((page, at) =>
    hostile
      .filter((_, index) => index % few(6, 33) === at % few(6, 33))
      .map((value) => withQuery(page, value.slice(0, 600)))
      .filter(({ length }) => length < longest),
  ),
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

/** Why the page is not readable: it needs a heading with text and a title, and no spinner may remain. */
async function troubleOf(page: Page): Promise<string | undefined> {
  const { pathname } = new URL(page.url())
  // What is shown inside the configuration says so in a sentence when it is opened by itself.
  const title = pathname.startsWith(pages.preview) ? '#root' : 'h1'
  const [heading] = await page.locator(title).filter({ visible: true }).allTextContents()
  if (!heading?.trim()) return 'no heading'
  if ((await page.title()) === '') return 'no title'
  // The theme page shows every component, also a spinner.
  const turning = pathname === pages.theme ? 1 : 0
  return (await page.locator('[role=progressbar]').count()) > turning ? 'still loading' : undefined
}

/** Pages lead on to others by themselves: what counts is where that ends. */
async function settled(page: Page): Promise<string | undefined> {
  let calm = 0
  let trouble: string | undefined = 'no page'
  for (let waited = 0; waited < 20_000 && calm < 2; waited += 100) {
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

async function visit(signedIn: boolean): Promise<{ opened: number; faults: string[] }> {
  const context = await browser.newContext({ locale: 'zh-CN' })
  const found: string[] = []
  let opened = 0
  async function walk(paths: string[]) {
    const page = await context.newPage()
    const faults = watch(page)
    for (const path of paths) {
      found.push(...(await open(page, path, faults)))
      opened++
    }
  }
  const page = await context.newPage()
  // The site is a second old: until the server has received it, it has no pages.
  await expect.poll(async () => (await page.goto(`${origin}/user/theme`))?.status(), { timeout: 10_000 }).toBe(200)
  if (signedIn) await giveCookies(context, origin, operator)
  // The short form meets each address in one of the two states.
  const paths = pathsOf().filter((_, index) => few(1, 2) === 1 || index % 2 === Number(signedIn))
  await Promise.all([0, 1].map((half) => walk(paths.filter((_, index) => index % 2 === half))))
  await context.close()
  return { opened, faults: found }
}

for (const signedIn of [false, true]) {
  test(`A28 hostile paths run no script, break no policy and show a page that can be read, ${signedIn ? 'signed in' : 'signed out'}`, async () => {
    const { opened, faults } = await visit(signedIn)
    for (const line of faults.slice(0, 20)) console.log(`A28: ${line}`)
    const whom = signedIn ? 'signed in' : 'signed out'
    figure(`hostile addresses opened, ${whom}`, opened, ['>=', few(400, 45)])
    figure(`scripts run, policies broken, pages lost, ${whom}`, faults.length, ['=', 0])
  }, 900_000)
}

test('A28 every page with a parameter and every query parameter is covered', () => {
  expect(places.length).toBeGreaterThanOrEqual(11)
  expect(queryNames()).toEqual(expect.arrayContaining(['tab', 'search', 'state', 'wechat', 'page', 'user']))
  figure('pages met', Object.keys(pages).length, ['>=', 36])
})
