import type { Page } from '@playwright/test'
import sharp from 'sharp'
import type { Screen } from './screen.ts'

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

/** The list of a user with many devices. */
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

/** The history of a user whose account a stranger entered. */
async function pastOf(page: Page) {
  const minute = 60_000
  const home = { ip: '113.108.9.24', region: '广东省 深圳市' }
  const away = { ip: '185.220.101.47', region: null }
  const mac = { browser: 'Chrome 142', os: 'macOS' }
  const session = (id: string, state: object) => ({ id, live: true, current: false, disowned: false, ...state })
  const entry = (event: string, ago: number, differently: object) => ({
    id: `${event} ${ago}`,
    time: Date.now() - ago * minute,
    event,
    ...{ ip: null, region: null, method: null, browser: null, os: null, count: null, client: null, session: null },
    ...differently,
  })
  const data = [
    entry('login', 1, {
      ...{ method: 'mobile', browser: '微信', os: 'iOS 18', session: session('1', { current: true }) },
      ...home,
    }),
    entry('login', 9, {
      method: 'password',
      browser: 'Firefox 144',
      os: 'Windows',
      ...away,
      session: session('2', {}),
    }),
    entry('login.failed', 11, { count: 3, ...away }),
    entry('password.change', 1_700, home),
    entry('check', 1_702, { method: 'mobile', ...home }),
    entry('login', 1_705, { method: 'scan', ...mac, ...home, session: session('3', { live: false }) }),
    entry('authorize', 8_000, { client: '青屿商城', ...home }),
    entry('login.disowned', 8_100, home),
    entry('login', 8_130, {
      ...{ method: 'password', browser: 'Microsoft Edge 142', os: 'Windows', ...away },
      session: session('4', { live: false, disowned: true }),
    }),
    entry('account.signOut', 8_200, {}),
    entry('wechat.bind', 8_300, home),
  ]
  await page.route('**/security/list', (route) => route.fulfill({ json: { data: { count: 46, more: false, data } } }))
  await page.reload({ waitUntil: 'networkidle' })
}

async function askDisowning(page: Page) {
  await pastOf(page)
  await page.getByRole('button', { name: /^不是我：Firefox/ }).click()
}

const ways = {
  '/api/user/info': { password: true, email: 'zhixia@qingyu.example', wechatOpenId: 'o', wechatNickname: '林小满' },
}

/** As it stands once the password is new and the others are out: of the history the newest first. */
async function protectedNow(page: Page) {
  const data = ['password.change', 'login.disowned'].map((event, place) => ({ id: String(place), event }))
  await page.route('**/security/list', (route) => route.fulfill({ json: { data: { count: 2, more: false, data } } }))
  await page.route('**/token/list', (route) => route.fulfill({ json: { data: { count: 1, data: [] } } }))
  await page.reload({ waitUntil: 'networkidle' })
  await page.getByText('密码已修改').waitFor()
}

const hour = 3_600_000

/** The version in force and an earlier one. */
const given = [
  { version: '2026-11-01', time: Date.now() - 30 * hour },
  { version: '2026-03-15', time: Date.now() - 5_000 * hour },
]
const consents = { '/api/user/agreements/list': { count: given.length, data: given } }

/** An archive that is being made, or as given. */
function archive(differently: object) {
  const made = { id: 'x', status: 'running', done: 12, total: 32, time: Date.now(), expires: null, ...differently }
  return { ...consents, '/api/user/data/exports': { count: 1, data: [made] } }
}

const closing = { '/api/user/info': { nickname: '林知夏', closing: Date.now() + 160 * hour } }

async function askClosing(page: Page) {
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: '申请注销' }).click()
  await page.getByRole('dialog').waitFor()
}

async function refuseClosing(page: Page) {
  const refusal = { code: 'LAST_ADMIN', message: '至少要保留一位管理员，请先为其他人授权' }
  await page.route('**/account/close', (route) => route.fulfill({ status: 409, json: refusal }))
  await askClosing(page)
  await page.getByRole('button', { name: '确定注销' }).click()
  await page.getByRole('alert').waitFor()
}

/** The user centre. */
export const accountScreens: Screen[] = [
  { name: 'wechat-unbound', path: '/user/wechat', signedIn: true, inWechat: true },
  { name: 'wechat-scan', path: '/user/wechat', signedIn: true },
  { name: 'wechat-bound', path: '/user/wechat', signedIn: true, inWechat: true, answers: bound },
  { name: 'wechat-taken', path: '/user/wechat?wechat=WECHAT_TAKEN', signedIn: true, inWechat: true },
  { name: 'wechat-last', path: '/user/wechat', signedIn: true, inWechat: true, answers: wechatOnly },
  { name: 'two-factor-wechat', path: '/user/twoFactor/authorize', signedIn: true, inWechat: true, answers: wechatOnly },
  { name: 'user', path: '/user', signedIn: true },
  { name: 'nickname', path: '/user', signedIn: true, prepare: refuseNickname },
  { name: 'crop', path: '/user', signedIn: true, prepare: choosePicture },
  { name: 'crop-error', path: '/user', signedIn: true, prepare: failUpload },
  { name: 'devices', path: '/user/onlineDevices', signedIn: true, prepare: manyDevices },
  { name: 'devices-remove', path: '/user/onlineDevices', signedIn: true, prepare: askRemoval },
  { name: 'security', path: '/user/security', signedIn: true, prepare: pastOf },
  { name: 'security-disown', path: '/user/security', signedIn: true, prepare: askDisowning },
  { name: 'protect', path: '/user/protect', signedIn: true, answers: ways, prepare: manyDevices },
  { name: 'protect-done', path: '/user/protect', signedIn: true, answers: ways, prepare: protectedNow },
  { name: 'device', path: '/user/device', signedIn: true },
  { name: 'theme', path: '/user/theme', signedIn: true },
  {
    name: 'toast',
    path: '/user/theme',
    signedIn: true,
    prepare: (page) => page.getByRole('button', { name: '成功提示', exact: true }).click(),
  },
  { name: 'privacy', path: '/user/privacy', signedIn: true, answers: consents },
  { name: 'privacy-running', path: '/user/privacy', signedIn: true, answers: archive({}) },
  {
    name: 'privacy-done',
    path: '/user/privacy',
    signedIn: true,
    answers: archive({ status: 'done', done: 32, expires: Date.now() + 24 * hour }),
  },
  { name: 'privacy-failed', path: '/user/privacy', signedIn: true, answers: archive({ status: 'failed' }) },
  { name: 'close-account', path: '/user/closeAccount', signedIn: true },
  { name: 'close-account-ask', path: '/user/closeAccount', signedIn: true, answers: complete, prepare: askClosing },
  {
    name: 'close-account-last',
    path: '/user/closeAccount',
    signedIn: true,
    answers: complete,
    prepare: refuseClosing,
  },
  { name: 'close-account-closing', path: '/user/closeAccount', signedIn: true, answers: closing },
  { name: 'user-closing', path: '/user', signedIn: true, answers: closing },
  {
    name: 'agree',
    path: '/user',
    signedIn: true,
    answers: { '/api/user/info': { nickname: '林知夏', agreements: '2026-03-15' } },
    prepare: (page) => page.getByRole('dialog').waitFor(),
  },
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
