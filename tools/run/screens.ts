import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from '@playwright/test'
import playwright from '../../playwright.config.ts'
import { startDemo, stopAll } from './demo-product.ts'
import { buildWeb } from './product.ts'

// pnpm screens: every screen as a picture into screens/, in each size and theme and at the largest font.
interface Screen {
  name: string
  path: string
  signedIn?: boolean
  /** What to do before the picture is taken. */
  prepare?: (page: Page) => Promise<unknown>
  /** The meta never comes. */
  hold?: boolean
  portraitOnly?: boolean
}

const mobile = '13912345678'

async function sendCode(page: Page) {
  await page.getByLabel('手机号', { exact: true }).fill(mobile)
  await page.route('**/api/verifyCode/mobile', (route) => route.fulfill({ json: { data: { retryAfter: 60 } } }))
  await page.getByRole('button', { name: '发送验证码' }).click()
  await page.getByLabel('短信验证码').waitFor()
}

async function wrongCode(page: Page) {
  await sendCode(page)
  await page.getByRole('checkbox').check()
  await page.getByLabel('短信验证码').fill('000000')
  await page.getByRole('alert').waitFor()
}

async function askAgreement(page: Page) {
  await sendCode(page)
  await page.getByLabel('短信验证码').fill('000000')
  await page.getByRole('button', { name: '登录', exact: true }).click()
}

async function askWhose(page: Page) {
  const body = { code: 'LOGIN_CONFIRM', message: '', details: { ticket: 'x' } }
  await page.route('**/api/login/mobile', (route) => route.fulfill({ status: 409, json: body }))
  await sendCode(page)
  await page.getByRole('checkbox').check()
  await page.getByLabel('短信验证码').fill('000000')
  await page.getByRole('button', { name: '是我的账号', exact: true }).waitFor()
}

const screens: Screen[] = [
  { name: 'loading', path: '/', hold: true },
  { name: 'home', path: '/' },
  { name: 'login-mobile', path: '/login' },
  { name: 'login-sent', path: '/login', prepare: sendCode },
  { name: 'login-error', path: '/login', prepare: wrongCode },
  { name: 'login-agreement', path: '/login', prepare: askAgreement },
  { name: 'login-password', path: '/login', prepare: (page) => page.getByRole('button', { name: '密码登录' }).click() },
  { name: 'login-confirm', path: '/login', prepare: askWhose },
  { name: 'signed-out', path: '/user' },
  { name: 'not-found', path: '/nothing' },
  { name: 'user', path: '/user', signedIn: true },
  { name: 'device', path: '/user/device', signedIn: true },
  { name: 'theme', path: '/user/theme', signedIn: true },
  {
    name: 'drawer',
    path: '/user',
    signedIn: true,
    portraitOnly: true,
    prepare: (page) => page.getByRole('button', { name: '菜单' }).click(),
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
const { addresses, parts } = await startDemo([])
const { web, inbox, operator } = addresses

/** The demo's operator, signed in with the code that arrived in the inbox. */
async function signIn(context: BrowserContext): Promise<void> {
  const headers = { origin: web }
  await context.request.post(`${web}/api/verifyCode/mobile`, { headers, data: operator })
  const messages = await context.request.get(`${inbox}/api/messages?to=${operator.mobile}`)
  const [newest] = ((await messages.json()) as { data: { text: string }[] }).data
  const code = /\d{6}/.exec(newest?.text ?? '')?.[0]
  const answer = await context.request.post(`${web}/api/login/mobile`, { headers, data: { ...operator, code } })
  if (!answer.ok()) throw new Error(`signing in failed: ${await answer.text()}`)
}

const browser = await chromium.launch(playwright.projects?.[0]?.use?.launchOptions ?? {})
const first = await browser.newContext()
await signIn(first)
const session = await first.storageState()
for (const { width, height, ...size } of sizes) {
  for (const dark of [false, true]) {
    for (const { name, path, signedIn = false, prepare, hold, portraitOnly } of screens) {
      if (portraitOnly && width > height) continue
      const context = await browser.newContext({
        viewport: { width, height },
        locale: 'zh-CN',
        reducedMotion: 'reduce',
        ...(signedIn && { storageState: session }),
      })
      const preference = JSON.stringify({ dark, ...(size.fontSize && { fontSize: size.fontSize }) })
      await context.addInitScript((text) => localStorage.setItem('device_preference', text), preference)
      const page = await context.newPage()
      if (hold) await page.route('**/api/meta', () => {})
      await page.goto(web + path, { waitUntil: hold ? 'commit' : 'networkidle' })
      await page.getByRole('heading').first().waitFor()
      await prepare?.(page)
      const fullPage = name === 'theme'
      await page.screenshot({ path: join(folder, `${name}-${size.name}-${dark ? 'dark' : 'light'}.png`), fullPage })
      await context.close()
    }
  }
}
await browser.close()
await stopAll(parts)
console.log(`pictures are in ${folder}/`)
