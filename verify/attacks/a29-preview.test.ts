import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import { makeOperator } from '../../apps/server/test/enrolled.ts'
import { fresh } from '../../apps/server/test/test-app.ts'
import playwright from '../../playwright.config.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Api, startApi } from '../harness/environment.ts'
import { few, type Harness, openHarness, type User } from '../harness/harness.ts'
import { places } from './branding.ts'
import { builtPages } from './built-pages.ts'
import { giveCookies } from './give-cookies.ts'

let t: Harness
let api: Api
let chrome: Browser
let origin: string
let operator: User
beforeAll(async () => {
  const folder = await builtPages()
  api = await startApi({ ...inject('environment'), HUFU_WEB_FOLDER: folder }, inject('logFolder'))
  t = await openHarness(inject('environment'), [api.url])
  chrome = await chromium.launch(playwright.projects?.[0]?.use?.launchOptions ?? {})
  origin = `http://${fresh.host().split('.')[0]}.localhost:${new URL(api.url).port}`
  const id = await createSite(t.deps, { origin, config: { name: '青屿生活' } }, 'attack')
  const site = { id, host: '', origin }
  const user = await t.user(site)
  await makeOperator(t.deps, id, user.id, ['READ', 'WRITE', 'ADMIN'], 'attack')
  operator = await t.session(site, user.id)
}, 180_000)
afterAll(async () => {
  await chrome.close()
  await t.close()
  await api.stop()
})

/** A browser in which everything that must not happen is noted. */
async function watched(wrong: string[]): Promise<{ context: BrowserContext; page: Page }> {
  const context = await chrome.newContext({ viewport: { width: 1400, height: 900 }, locale: 'zh-CN' })
  await context.exposeFunction('hacked', () => void wrong.push('ran'))
  const away = ({ hostname }: URL) => !hostname.endsWith('.localhost')
  await context.route(away, (route) => route.abort())
  const page = await context.newPage()
  page.on('dialog', (dialog) => {
    wrong.push('a dialog')
    void dialog.dismiss()
  })
  page.on('pageerror', (error) => void wrong.push(error.message))
  return { context, page }
}

async function signIn(page: Page) {
  // The site is a second old: until the server has received it, it has no pages.
  await expect.poll(async () => (await page.goto(`${origin}/user/theme`))?.status(), { timeout: 10_000 }).toBe(200)
  await giveCookies(page.context(), origin, operator)
}

/** Replaces the whole text, as by pasting; returns whether it could be saved. */
async function paste(page: Page, config: object): Promise<boolean> {
  const editor = page.getByLabel('站点配置（JSON）')
  await editor.click()
  await page.keyboard.press('ControlOrMeta+a')
  const answered = page.waitForResponse('**/api/merchant/config/preview')
  await editor.evaluate((element, words) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', words)
    element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, JSON.stringify(config))
  return ((await (await answered).json()) as { data: unknown }).data !== null
}

async function brokenPreview(page: Page): Promise<string | undefined> {
  await page.locator('iframe[data-ready=true]').waitFor({ timeout: 30_000 })
  const inside = page.frameLocator('iframe')
  if (!(await inside.locator('input').first().isVisible())) return 'no field to sign in with'
  const { wide, scripts } = await inside.locator('html').evaluate((root) => ({
    wide: root.scrollWidth,
    scripts: [...document.querySelectorAll('script')].filter((each) => each.textContent?.includes('hacked')).length,
  }))
  if (wide > 390) return `${wide} pixels wide`
  if (scripts > 0) return 'a script of the config stands in the document'
  const around = await page.evaluate(() => document.documentElement.scrollWidth)
  return around > 1400 ? `the page around it is ${around} pixels wide` : undefined
}

test('A29 hostile names, pictures, record numbers and colours run nothing in the preview and break neither page', async () => {
  const wrong: string[] = []
  const { context, page } = await watched(wrong)
  await signIn(page)
  await page.goto(`${origin}/merchant/config`)
  await page.locator('iframe[data-ready=true]').waitFor()
  let shown = 0
  let refused = 0
  const found: string[] = []
  for (const [place, { values, write }] of Object.entries(places)) {
    for (const value of values.filter((_, index) => index % few(1, 3) === 0)) {
      wrong.length = 0
      if (!(await paste(page, { ...write(value), mark: ++shown + refused }))) {
        shown--
        refused++
        continue
      }
      const how = await brokenPreview(page)
      found.push(...[...wrong, ...(how ? [how] : [])].map((each) => `${place} ${JSON.stringify(value)}: ${each}`))
    }
  }
  await context.close()
  for (const line of found) console.log(`A29: ${line}`)
  figure('hostile values shown in the preview', shown, ['>=', few(20, 15)])
  figure('scripts run and previews broken', found.length, ['=', 0])
}, 600_000)

/** A hostile page that attacks the preview. */
const evil = (target: string) => `<!doctype html><iframe src="${target}"></iframe><script>
  const wish = { path: '/login', user: {}, preference: {}, meta: { name: 'evil', methods: [], regions: [],
    theme: { primary: '#ff0000' }, languages: ['zh-CN'], registration: 'open', wechatEnabled: false } }
  const opened = open('${target}')
  setInterval(() => { for (const to of [frames[0], opened]) to?.postMessage({ kind: 'preview-show', number: 1, wish }, '*') }, 50)
</script>`

test('A29 no other site can frame the preview, and messages from others have no effect', async () => {
  const wrong: string[] = []
  const { context, page } = await watched(wrong)
  await signIn(page)
  const body = evil(`${origin}/merchant/preview`)
  await context.route('http://evil.localhost/**', (route) => route.fulfill({ contentType: 'text/html', body }))
  const [opened] = await Promise.all([context.waitForEvent('page'), page.goto('http://evil.localhost/')])
  await opened.getByText('请在管理后台的「配置」中查看').waitFor()
  await page.waitForTimeout(1_000)
  expect(page.frames().map((each) => each.url())).toEqual(['http://evil.localhost/', 'chrome-error://chromewebdata/'])
  expect(await opened.textContent('body')).not.toContain('evil')
  await opened.close()

  // Its own site frames it, and nothing but it.
  await page.goto(`${origin}/user/theme`)
  await page.evaluate(() => {
    for (const path of ['/merchant/preview', '/login', '/merchant/preview/']) {
      const frame = document.createElement('iframe')
      frame.src = path
      document.body.append(frame)
    }
  })
  await page.waitForTimeout(1_500)
  const urls = page.frames().map((each) => each.url().replace(origin, ''))
  expect(urls).toEqual(['/user/theme', '/merchant/preview', ...Array(2).fill('chrome-error://chromewebdata/')])
  await context.close()
  expect(wrong).toEqual([])
}, 120_000)
