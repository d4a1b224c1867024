import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import playwright from '../../playwright.config.ts'
import { startDemo, stopAll } from './demo-product.ts'
import { buildWeb } from './product.ts'

// pnpm screens: every screen as a picture into screens/, in each size and theme and at the largest font.
interface Screen {
  name: string
  path: string
  /** What to do before the picture is taken. */
  prepare?: (page: Page) => Promise<unknown>
  hold?: boolean
}

const screens: Screen[] = [
  { name: 'loading', path: '/', hold: true },
  { name: 'home', path: '/' },
  { name: 'device', path: '/user/device' },
  { name: 'theme', path: '/user/theme' },
  { name: 'not-found', path: '/nothing' },
  {
    name: 'drawer',
    path: '/user/theme',
    prepare: (page) => page.getByRole('button', { name: '菜单' }).click({ timeout: 500 }),
  },
]
const sizes = [
  { name: 'phone', width: 390, height: 844, fontSize: undefined },
  { name: 'desktop', width: 1280, height: 800, fontSize: undefined },
  { name: 'large', width: 360, height: 740, fontSize: 18 },
]

const folder = 'screens'
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
await buildWeb()
const {
  addresses: { web },
  parts,
} = await startDemo([])
const browser = await chromium.launch(playwright.projects?.[0]?.use?.launchOptions ?? {})
for (const { width, height, ...size } of sizes) {
  for (const dark of [false, true]) {
    const context = await browser.newContext({ viewport: { width, height }, locale: 'zh-CN', reducedMotion: 'reduce' })
    const preference = JSON.stringify({ dark, ...(size.fontSize && { fontSize: size.fontSize }) })
    await context.addInitScript((text) => localStorage.setItem('device_preference', text), preference)
    for (const { name, path, prepare, hold } of screens) {
      const page = await context.newPage()
      if (hold) await page.route('**/api/meta', () => {})
      await page.goto(web + path, { waitUntil: hold ? 'commit' : 'networkidle' })
      await page.getByRole('heading').first().waitFor()
      await prepare?.(page).catch(() => {})
      await page.screenshot({
        path: join(folder, `${name}-${size.name}-${dark ? 'dark' : 'light'}.png`),
        fullPage: name === 'theme',
      })
      await page.close()
    }
    await context.close()
  }
}
await browser.close()
await stopAll(parts)
console.log(`pictures are in ${folder}/`)
