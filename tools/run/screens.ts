import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from '@playwright/test'
import sharp from 'sharp'
import playwright from '../../playwright.config.ts'
import { startDemo, stopAll } from './demo-product.ts'
import { buildWeb } from './product.ts'

// pnpm screens [names]: every screen as a picture into screens/, in each size and theme and at the largest font.
interface Screen {
  name: string
  path: string
  signedIn?: boolean
  /** By call, what its answer says differently. */
  answers?: Record<string, object>
  /** What to do before the picture is taken. */
  prepare?: (page: Page) => Promise<unknown>
  /** Opened inside WeChat. */
  inWechat?: boolean
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

async function loseNetwork(page: Page) {
  await page.route('**/authorize/binding', (route) => route.abort())
  await page.reload({ waitUntil: 'networkidle' })
  await page.getByRole('button', { name: '重试' }).waitFor()
}

async function sendCheckCode(page: Page) {
  await page.route('**/sendMobileCode', (route) => route.fulfill({ json: { data: { retryAfter: 60 } } }))
  await page.getByRole('button', { name: '发送验证码' }).click()
  await page.getByLabel('短信验证码').fill('70')
}

async function wrongEmailCode(page: Page) {
  const refusal = { code: 'CODE_WRONG', message: '验证码不正确或已失效，请核对后重新输入' }
  await page.route('**/verifyCode/email', (route) => route.fulfill({ json: { data: { retryAfter: 60 } } }))
  await page.route('**/changeEmail', (route) => route.fulfill({ status: 400, json: refusal }))
  await page.getByLabel('新电子邮箱').fill('zhixia@qingyu.example')
  await page.getByRole('button', { name: '发送验证码' }).click()
  await page.getByLabel('邮箱验证码').fill('482916')
  await page.getByRole('button', { name: '确认修改' }).click()
  await page.getByRole('alert').waitFor()
}

async function typePassword(page: Page, password: string, repeated: string) {
  await page.getByLabel('新密码', { exact: true }).fill(password)
  await page.getByRole('button', { name: '显示密码' }).first().click()
  await page.getByLabel('确认新密码').fill(repeated)
}

const wechatAgent =
  'Mozilla/5.0 (Linux; Android 14; PJX110) AppleWebKit/537.36 Chrome/126.0.0.0 Mobile MicroMessenger/8.0.50'

/** Somebody from WeChat who has no account here. */
async function arrive(page: Page) {
  await page.route('**/wechat/arrival', (route) => route.fulfill({ json: { data: { nickname: '林小满' } } }))
  await page.reload({ waitUntil: 'networkidle' })
  await page.getByRole('button', { name: '创建新账号' }).waitFor()
}

const bound = { '/api/user/info': { nickname: '林知夏', wechatOpenId: 'o', wechatNickname: '林小满' } }
const wechatOnly = {
  '/api/user/info': { mobile: null, mobilePrefix: null, wechatOpenId: 'o', wechatNickname: '林小满' },
  '/api/user/twoFactor/state': { way: null },
}

const checked = { '/api/user/info': { nickname: '林知夏', username: 'zhixia', twoFactor: true } }
const complete = { '/api/user/twoFactor/state': { twoFactor: true, second: [] } }
const secondOwed = { '/api/user/twoFactor/state': { twoFactor: true, second: ['password', 'email'] } }

/** A made-up landscape. */
const photo = `<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="1200" viewBox="0 0 80 60">
  <rect width="80" height="60" fill="#f2b8a0"/><circle cx="52" cy="22" r="8" fill="#fff3df"/>
  <path d="M0 40C14 28 24 30 36 38S62 46 80 32V60H0Z" fill="#7f86b0"/>
  <path d="M0 50C16 42 30 46 44 52S68 54 80 48V60H0Z" fill="#4d5685"/></svg>`

async function choosePicture(page: Page) {
  const buffer = await sharp(Buffer.from(photo)).jpeg().toBuffer()
  await page.locator('input[type=file]').setInputFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer })
  await page.getByRole('dialog').waitFor()
}

async function failUpload(page: Page) {
  await choosePicture(page)
  await page.route('**/changeAvatar', (route) => route.abort())
  await page.getByRole('button', { name: '确定' }).click()
  await page.getByRole('alert').waitFor()
}

async function refuseNickname(page: Page) {
  await page.getByRole('button', { name: '修改昵称' }).click()
  await page.getByLabel('昵称', { exact: true }).fill('')
  await page.getByRole('button', { name: '保存' }).click()
  await page.getByRole('alert').waitFor()
}

/** A list as of somebody with many devices. */
async function manyDevices(page: Page) {
  const device = (at: number, browser: string, os: string, kind: string) => ({
    id: String(at),
    browser,
    os,
    device: kind,
    ip: `113.108.9.${at}`,
    region: at % 2 ? '广东省 深圳市' : '浙江省 杭州市',
    time: Date.now(),
    lastAccess: Date.now() - at * 37_000_000,
    current: at === 0,
  })
  const data = [
    device(0, '微信', 'iOS 18', 'iPhone'),
    device(1, 'Chrome 142', 'macOS', '电脑'),
    device(2, 'Microsoft Edge 142', 'Windows 11', '电脑'),
    device(3, 'Safari 18', 'iPadOS 18', 'iPad'),
    device(4, 'Chrome 141', 'Android 15', '手机'),
  ]
  await page.route('**/token/list', (route) => route.fulfill({ json: { data: { count: 12, data } } }))
  await page.reload({ waitUntil: 'networkidle' })
}

async function askRemoval(page: Page) {
  await manyDevices(page)
  await page.getByRole('button', { name: /^下线 Chrome 142/ }).click()
}

/** The page that waits for a scan, told how its request stands. */
async function waitForScan(page: Page, answer: object, status = 200) {
  await page.route('**/request/check', (route) => route.fulfill({ status, json: answer }))
  await page.getByRole('button', { name: '微信扫码' }).click()
  await page.getByRole('img', { name: '登录二维码' }).waitFor()
}

async function scanStands(page: Page, status: number, words: string) {
  await waitForScan(page, { data: { status } })
  await page.getByText(words).first().waitFor()
}

async function scanExpired(page: Page) {
  await waitForScan(page, { code: 'LOGIN_REQUEST_EXPIRED', message: '二维码已过期，请刷新后重试' }, 410)
  await page.getByRole('button', { name: '点击刷新' }).waitFor()
}

async function scanWithoutNetwork(page: Page) {
  await page.getByRole('button', { name: '微信扫码' }).click()
  await page.getByRole('img', { name: '登录二维码' }).waitFor()
  await page.route('**/request/check', (route) => route.abort())
  await page.getByText('网络异常').waitFor()
}

const approvePath = `/loginApprove/aB3dE6gH9jK2mN5pQ8sT_-/${new Date(2026, 10, 14, 21, 36).getTime()}/120.24.78.68`

/** A request as of a desk in the same room, or as told. */
async function approve(page: Page, differently: object = {}) {
  const asked = {
    site: '青屿生活',
    host: 'id.qingyu.example',
    browser: 'Chrome 142',
    os: 'macOS',
    device: '电脑',
    ip: '120.24.78.68',
    region: '广东省 深圳市',
    time: new Date(2026, 10, 14, 21, 36).getTime(),
    network: 'same',
    ...differently,
  }
  await page.route('**/request/process', (route) => route.fulfill({ json: { data: asked } }))
  await page.reload({ waitUntil: 'networkidle' })
  await page.getByRole('button', { name: '确认登录' }).waitFor()
}

const elsewhere = {
  browser: 'Microsoft Edge 142',
  os: 'Windows',
  ip: '115.236.41.9',
  region: '浙江省 杭州市',
  network: 'elsewhere',
}

async function approveFrom(page: Page, differently: object, choice: string) {
  await approve(page, differently)
  await page.getByRole('button', { name: choice }).click()
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
  { name: 'login-wechat', path: '/login', prepare: (page) => waitForScan(page, { data: { status: -1 } }) },
  { name: 'login-wechat-scanned', path: '/login', prepare: (page) => scanStands(page, 0, '已扫描') },
  { name: 'login-wechat-rejected', path: '/login', prepare: (page) => scanStands(page, 2, '微信端已拒绝') },
  { name: 'login-wechat-expired', path: '/login', prepare: scanExpired },
  { name: 'login-wechat-offline', path: '/login', prepare: scanWithoutNetwork },
  { name: 'login-in-wechat', path: '/login?wechat=back', inWechat: true },
  { name: 'login-wechat-failed', path: '/login?wechat=WECHAT_SNAPSHOT', inWechat: true },
  { name: 'login-wechat-choice', path: '/login?wechat=choose', inWechat: true, prepare: arrive },
  { name: 'wechat-unbound', path: '/user/wechat', signedIn: true, inWechat: true },
  { name: 'wechat-scan', path: '/user/wechat', signedIn: true },
  { name: 'wechat-bound', path: '/user/wechat', signedIn: true, inWechat: true, answers: bound },
  { name: 'wechat-taken', path: '/user/wechat?wechat=WECHAT_TAKEN', signedIn: true, inWechat: true },
  { name: 'wechat-last', path: '/user/wechat', signedIn: true, inWechat: true, answers: wechatOnly },
  { name: 'two-factor-wechat', path: '/user/twoFactor/authorize', signedIn: true, inWechat: true, answers: wechatOnly },
  { name: 'approve', path: approvePath, signedIn: true, prepare: approve },
  { name: 'approve-other', path: approvePath, signedIn: true, prepare: (page) => approve(page, elsewhere) },
  {
    name: 'approve-sure',
    path: approvePath,
    signedIn: true,
    prepare: (page) => approveFrom(page, elsewhere, '确认登录'),
  },
  { name: 'approve-done', path: approvePath, signedIn: true, prepare: (page) => approveFrom(page, {}, '确认登录') },
  { name: 'approve-rejected', path: approvePath, signedIn: true, prepare: (page) => approveFrom(page, {}, '拒绝') },
  { name: 'approve-expired', path: approvePath, signedIn: true },
  { name: 'authorize-refused', path: `/authorize/${encodeURIComponent('https://nobody.example/')}` },
  { name: 'authorize-used', path: '/loginAuthorize/used', signedIn: true },
  { name: 'authorize-offline', path: '/loginAuthorize/lost', prepare: loseNetwork },
  { name: 'signed-out', path: '/user' },
  { name: 'not-found', path: '/nothing' },
  { name: 'user', path: '/user', signedIn: true },
  { name: 'nickname', path: '/user', signedIn: true, prepare: refuseNickname },
  { name: 'crop', path: '/user', signedIn: true, prepare: choosePicture },
  { name: 'crop-error', path: '/user', signedIn: true, prepare: failUpload },
  { name: 'devices', path: '/user/onlineDevices', signedIn: true, prepare: manyDevices },
  { name: 'devices-remove', path: '/user/onlineDevices', signedIn: true, prepare: askRemoval },
  { name: 'device', path: '/user/device', signedIn: true },
  { name: 'theme', path: '/user/theme', signedIn: true },
  { name: 'two-factor', path: '/user/twoFactor/authorize', signedIn: true },
  { name: 'two-factor-sent', path: '/user/twoFactor/authorize', signedIn: true, prepare: sendCheckCode },
  {
    name: 'two-factor-second',
    path: '/user/changeMobile',
    signedIn: true,
    answers: { ...checked, ...secondOwed },
    prepare: (page) => page.getByLabel('登录密码', { exact: true }).waitFor(),
  },
  { name: 'change-email', path: '/user/changeEmail', signedIn: true, answers: checked },
  { name: 'change-email-error', path: '/user/changeEmail', signedIn: true, answers: checked, prepare: wrongEmailCode },
  { name: 'change-username', path: '/user/changeUsername', signedIn: true, answers: checked },
  { name: 'change-mobile', path: '/user/changeMobile', signedIn: true, answers: { ...checked, ...complete } },
  {
    name: 'change-password',
    path: '/user/changePassword',
    signedIn: true,
    answers: checked,
    prepare: (page) => typePassword(page, 'Qy#2026秋', 'Qy#2026a'),
  },
  {
    name: 'change-password-ready',
    path: '/user/changePassword',
    signedIn: true,
    answers: checked,
    prepare: (page) => typePassword(page, 'Qy#2026autumn', 'Qy#2026autumn'),
  },
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
const names = process.argv.slice(2)
const wanted = screens.filter(({ name }) => names.length === 0 || names.includes(name))
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

async function changeAnswer(page: Page, call: string, differently: object): Promise<void> {
  await page.route(`**${call}`, async (route) => {
    const { data } = (await (await route.fetch()).json()) as { data: object }
    await route.fulfill({ json: { data: { ...data, ...differently } } })
  })
}

const browser = await chromium.launch(playwright.projects?.[0]?.use?.launchOptions ?? {})
const first = await browser.newContext()
await signIn(first)
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
await browser.close()
await stopAll(parts)
console.log(`pictures are in ${folder}/`)
