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

const feedbackId = '7f3a9c41-5b1e-4d0c-a2f7-19c0de8b6a55'
const feedbackPath = `/user/feedback/${feedbackId}`
const merchantFeedbackPath = `/merchant/feedback/${feedbackId}`
const at = (day: number, hour: number, minute: number) => new Date(2026, 10, day, hour, minute).getTime()

const said = [
  {
    role: 'user',
    message: '你好，昨天换绑手机号之后，公众号就收不到订单通知了，重新关注也没有用。',
    time: at(12, 20, 14),
  },
  { role: 'merchant', message: '', status: 1, time: at(12, 20, 31) },
  {
    role: 'merchant',
    message: '您好，已收到您的反馈。请问换绑之后重新登录过吗？方便的话，请告诉我们最近一笔订单的下单时间。',
    time: at(12, 20, 33),
  },
  { role: 'user', message: '登录过的。最近一笔是 11 月 11 日 19:42 下的单。', time: at(12, 20, 40) },
  {
    role: 'merchant',
    message: '感谢补充。换绑后公众号仍关联着旧账号，现已为您重新关联，新的订单通知会正常送达。',
    time: at(13, 10, 5),
  },
]
const movedTo: Record<number, object[]> = {
  3: [{ role: 'merchant', message: '', status: 3, time: at(13, 10, 6) }],
  4: [
    { role: 'merchant', message: '', status: 3, time: at(13, 10, 6) },
    { role: 'user', message: '', status: 4, time: at(13, 11, 20) },
  ],
  5: [{ role: 'merchant', message: '', status: 5, time: at(13, 10, 6) }],
}

/** A conversation as it stands at a status, of the person that all pictures show. */
function conversationAt(status: number) {
  const shown = status === 0 ? said.slice(0, 1) : status === 1 ? said.slice(0, 4) : said
  const entries = [...shown, ...(movedTo[status] ?? [])].map((entry, index) => ({ ...entry, seq: index + 1 }))
  const texts = (role: string) => shown.filter((entry) => entry.role === role && entry.message).length
  return {
    id: feedbackId,
    status,
    mobile: '138****5678',
    time: at(13, 10, 5),
    content: JSON.stringify(entries),
    more: false,
    lastSeq: entries.length,
    waitingSince: status < 2 ? at(12, 20, 14) : null,
    unread: false,
    offered: status === 3,
    userTexts: texts('user'),
    merchantTexts: texts('merchant'),
  }
}

const listedAt = (status: number) => {
  const line = (id: string, mobile: string, state: number, time: number, message: string, unread = false) => ({
    ...conversationAt(state),
    id: `${id}41-5b1e-4d0c-a2f7-19c0de8b6a55`,
    mobile,
    time,
    unread,
    content: JSON.stringify([{ seq: 1, role: 'user', message, time }]),
  })
  const last = said.at(status === 0 ? 0 : -1)
  return [
    line('7f3a9c', '138****5678', status, last?.time ?? 0, last?.message ?? ''),
    line('b20e51', '186****2047', 0, at(15, 9, 12), '付款成功后页面一直转圈，返回再进来订单又是未支付。', true),
    line('4c9d77', '159****8830', 1, at(14, 20, 22), '验证码倒计时结束后点重新发送没有反应，换浏览器可以。'),
    line('e1a608', '177****6402', 5, at(14, 9, 40), '希望支持用企业微信扫码登录。'),
    line('0d52c3', '139****0368', 4, at(9, 16, 3), '头像上传后显示很模糊。'),
  ]
}

const asker = {
  id: 'p',
  nickname: '林知夏',
  mobile: '138****5678',
  avatar: null,
  since: at(2, 8, 30),
  devices: [
    { browser: '微信', os: 'iOS 18', region: '广东省 深圳市', time: at(14, 21, 4) },
    { browser: 'Chrome 142', os: 'Windows 11', region: '广东省 深圳市', time: at(12, 19, 50) },
  ],
  earlier: [
    {
      id: 'b20e5141-5b1e-4d0c-a2f7-19c0de8b6a55',
      status: 4,
      time: at(3, 14, 2),
      preview: '建议在设备列表里显示城市。',
    },
  ],
}

/** Both sides' calls as of a conversation at a status. */
async function feedbackAt(page: Page, status: number) {
  const answers: [string, object][] = [
    ['**/feedback/read', conversationAt(status)],
    ['**/feedback/query', { count: 5, data: listedAt(status) }],
    ['**/feedback/person', asker],
    ['**/feedback/unread', { user: 1, merchant: 3 }],
  ]
  for (const [path, data] of answers) await page.route(path, (route) => route.fulfill({ json: { data } }))
  await page.reload({ waitUntil: 'networkidle' })
}

const customer = { '/api/user/info': { nickname: '林知夏', permission: {} } }
const operatorReads = { '/api/user/info': { permission: { MERCHANT: ['READ'] } } }

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
  { name: 'feedback-empty', path: '/user/feedback', signedIn: true },
  ...[0, 1, 2, 3, 4, 5].map((status) => ({
    name: `feedback-${status}`,
    path: feedbackPath,
    signedIn: true,
    answers: customer,
    prepare: (page: Page) => feedbackAt(page, status),
  })),
  {
    name: 'feedback-new',
    path: '/user/feedback',
    signedIn: true,
    answers: customer,
    prepare: (page) => feedbackAt(page, 3),
  },
  { name: 'merchant-feedback', path: '/merchant/feedback', signedIn: true, prepare: (page) => feedbackAt(page, 1) },
  ...[0, 2, 4].map((status) => ({
    name: `merchant-feedback-${status}`,
    path: merchantFeedbackPath,
    signedIn: true,
    prepare: (page: Page) => feedbackAt(page, status),
  })),
  {
    name: 'merchant-feedback-reads',
    path: merchantFeedbackPath,
    signedIn: true,
    answers: operatorReads,
    prepare: (page) => feedbackAt(page, 2),
  },
  {
    name: 'merchant-feedback-close',
    path: merchantFeedbackPath,
    signedIn: true,
    prepare: async (page) => {
      await feedbackAt(page, 2)
      await page.getByRole('button', { name: '强制关闭' }).click()
    },
  },
  { name: 'no-permission', path: '/merchant/feedback', signedIn: true, answers: customer },
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
await browser.close()
await stopAll(parts)
console.log(`pictures are in ${folder}/`)
