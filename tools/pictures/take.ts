import '../run/end-with-script-runner.ts'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import playwright from '../../playwright.config.ts'
import { signInOperator } from '../run/demo-operator.ts'
import { startDemo, stopAll } from '../run/demo-product.ts'
import { buildWeb } from '../run/product.ts'
import { accountScreens } from './account.ts'
import { takeBrands } from './brands.ts'
import { entryScreens } from './entry.ts'
import { feedbackScreens } from './feedback.ts'
import { merchantScreens } from './merchant.ts'
import { recoveryScreens } from './recovery.ts'

// pnpm screens [names]: every screen as a picture into screens/, in each size and theme and at the largest font;
// the brands of examples/brands (by their names, or `brands` for all) into screens/brands/.
const screens = [...entryScreens, ...recoveryScreens, ...accountScreens, ...feedbackScreens, ...merchantScreens]

const wechatAgent =
  'Mozilla/5.0 (Linux; Android 14; PJX110) AppleWebKit/537.36 Chrome/126.0.0.0 Mobile MicroMessenger/8.0.50'

const sizes = [
  { name: 'phone', width: 390, height: 844, fontSize: undefined },
  { name: 'desktop', width: 1280, height: 800, fontSize: undefined },
  { name: 'large', width: 360, height: 740, fontSize: 18 },
]

const folder = 'screens'
const names = process.argv.slice(2)
const wanted = screens.filter(({ name }) => names.length === 0 || names.includes(name))
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
await buildWeb()
const { addresses, parts } = await startDemo([])
const { web } = addresses

async function changeAnswer(page: Page, call: string, differently: object): Promise<void> {
  await page.route(`**${call}`, async (route) => {
    const { data } = (await (await route.fetch()).json()) as { data: object }
    await route.fulfill({ json: { data: { ...data, ...differently } } })
  })
}

const browser = await chromium.launch(playwright.projects?.[0]?.use?.launchOptions ?? {})
const first = await browser.newContext()
await signInOperator(first.request, addresses)
const session = await first.storageState()
for (const { width, height, ...size } of sizes) {
  for (const dark of [false, true]) {
    for (const { name, path, signedIn = false, answers = {}, prepare, inWechat, hold, portraitOnly } of wanted) {
      if (portraitOnly && width > height) continue
      const context = await browser.newContext({
        viewport: { width, height },
        locale: 'zh-CN',
        reducedMotion: 'reduce',
        ...(signedIn && { storageState: session }),
        ...(inWechat && { userAgent: wechatAgent }),
      })
      const preference = JSON.stringify({ dark, ...(size.fontSize && { fontSize: size.fontSize }) })
      await context.addInitScript((text) => localStorage.setItem('device_preference', text), preference)
      const page = await context.newPage()
      if (hold) await page.route('**/api/meta', () => {})
      // A stream never ends, so nothing would ever be idle.
      await page.route('**/api/events', (route) => route.abort())
      for (const [call, differently] of Object.entries(answers)) await changeAnswer(page, call, differently)
      await page.goto(web + path, { waitUntil: hold ? 'commit' : 'networkidle' })
      await page.getByRole('heading').first().waitFor()
      await prepare?.(page)
      const fullPage = name === 'theme'
      await page.screenshot({ path: join(folder, `${name}-${size.name}-${dark ? 'dark' : 'light'}.png`), fullPage })
      await context.close()
    }
  }
}
// Last: from here on the demo wears other clothes.
await takeBrands(browser, first, { web, folder: join(folder, 'brands'), names })
await browser.close()
await stopAll(parts)
console.log(`pictures are in ${folder}/`)
