import type { Page } from '@playwright/test'
import type { Screen } from './screen.ts'

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
  await page.getByRole('button', { name: '同意并继续' }).waitFor()
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

/** A WeChat user who has no account here. */
async function arrive(page: Page) {
  await page.route('**/wechat/arrival', (route) => route.fulfill({ json: { data: { nickname: '林小满' } } }))
  await page.reload({ waitUntil: 'networkidle' })
  await page.getByRole('button', { name: '创建新账号' }).waitFor()
}

/** The page that waits for a scan, with the status of its request. */
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

/** A request from a computer in the same room, or as given. */
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

const disownPath = `/disown/${'aB3dE6gH9jK2mN5pQ8sT_-'.repeat(2).slice(0, 43)}`

/** The sign-in that a notice reported, and how it was answered. */
async function noticed(page: Page, choice?: string) {
  const signIn = {
    time: Date.now() - 540_000,
    browser: 'Microsoft Edge 142',
    os: 'Windows',
    ip: '115.236.41.9',
    region: '浙江省 杭州市',
    live: true,
  }
  await page.route('**/notice/read', (route) => route.fulfill({ json: { data: signIn } }))
  await page.route('**/notice/disown', (route) => route.fulfill({ json: { data: null } }))
  await page.reload({ waitUntil: 'networkidle' })
  await page.getByRole('button', { name: choice ?? '不是我' }).waitFor()
  if (choice) await page.getByRole('button', { name: choice }).click()
}

/** Pages before sign-in, and those that ask for it. */
export const entryScreens: Screen[] = [
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
  { name: 'disown', path: disownPath, prepare: (page) => noticed(page) },
  { name: 'disown-done', path: disownPath, prepare: (page) => noticed(page, '不是我') },
  { name: 'disown-me', path: disownPath, prepare: (page) => noticed(page, '是我本人') },
  { name: 'disown-expired', path: disownPath },
  { name: 'authorize-refused', path: `/authorize/${encodeURIComponent('https://unknown.example/')}` },
  { name: 'authorize-used', path: '/loginAuthorize/used', signedIn: true },
  { name: 'authorize-offline', path: '/loginAuthorize/lost', prepare: loseNetwork },
  { name: 'signed-out', path: '/user' },
  { name: 'not-found', path: '/nothing' },
]
