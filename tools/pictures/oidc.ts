import type { Page } from '@playwright/test'
import type { Screen } from './screen.ts'

const day = 86_400_000
const now = Date.now()

/** A tile as sites draw their logos. */
const logo = (ground: string, drawn: string) =>
  `data:image/svg+xml,${encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 48"><rect width="48" height="48" fill="${ground}"/>${drawn}</svg>`,
  )}`

const client = (id: string, name: string, host: string, picture: string | null) => ({
  id,
  name,
  logo: picture,
  host,
  firstParty: false,
  privacy: `https://${host}/privacy`,
})

const book =
  '<path d="M10 14c5-2.4 10-2 14 1 4-3 9-3.4 14-1v15c-5-2.2-10-1.8-14 1-4-2.8-9-3.2-14-1z" fill="#fff"/><path d="M8 37c3.5-3 6.5-3 10 0s6.5 3 10 0 6.5-3 12 0" fill="none" stroke="#8fe0dc" stroke-width="2.6"/>'
const run = '<path d="M10 30 19 16l7 11 4-6 8 11" fill="none" stroke="#9be15d" stroke-width="4"/>'
const haifeng = client('haifeng', '海风书店', 'haifeng.example', logo('#0f6e78', book))

const asked = {
  client: haifeng,
  step: 'consent',
  hint: null,
  scopes: [
    { name: 'profile', reason: '用于在书店显示您的身份', required: true },
    { name: 'phone', reason: '用于发送订单和到货通知', required: false },
    { name: 'email', reason: '用于接收电子发票，可不提供', required: false },
  ],
  resume: '/oidc/authorize/x7Kq2',
}
const interaction = (differently: object = {}) => ({ '/api/oidc/interaction': { ...asked, ...differently } })
const user = { '/api/user/info': { nickname: '林知夏', email: 'zhixia@qingyu.example', permission: {} } }
const login = `/login/${encodeURIComponent(asked.resume)}`
const consent = '/consent/x7Kq2'

/** The request of a signed-in user who has these factors. */
const factors = (ways: string[]) => ({
  ...user,
  ...interaction({ step: 'factor' }),
  '/api/user/twoFactor/state': { twoFactor: false, way: null, second: [], factors: ways },
})

const list = {
  ...user,
  '/api/user/authorization/list': {
    data: [
      {
        client: haifeng,
        scopes: ['profile', 'phone', 'email'],
        since: now - 248 * day,
        lastUsed: now - day / 8,
      },
      {
        client: { ...client('mall', '青屿商城', 'mall.qingyu.example', null), firstParty: true },
        scopes: ['profile', 'phone'],
        since: now - 351 * day,
        lastUsed: now - 6 * day,
      },
      {
        client: client('shancha', '山茶咖啡', 'shancha.example', null),
        scopes: [],
        since: now - 90 * day,
        lastUsed: now - 44 * day,
      },
      {
        client: client('nanwan', '南湾夜跑', 'nanwan-run.example', logo('#1f2937', run)),
        scopes: ['profile', 'phone'],
        since: now - 314 * day,
        lastUsed: now - 125 * day,
      },
    ],
  },
}

async function expire(page: Page) {
  const refusal = { code: 'AUTHORIZE_EXPIRED', message: '授权请求已失效，请返回原网站重新登录' }
  await page.route('**/api/oidc/interaction', (route) => route.fulfill({ status: 400, json: refusal }))
  await page.reload({ waitUntil: 'networkidle' })
  await page.getByRole('heading', { name: /已失效/ }).waitFor()
}

async function askRevocation(page: Page) {
  await page.getByRole('button', { name: '解除授权：海风书店' }).click()
  await page.getByRole('dialog').waitFor()
}

const television = {
  client: { id: 'cinema', name: '客厅影院', logo: null, host: null, firstParty: true, privacy: null },
  userCode: 'WDJB-MJHT',
  browser: 'Samsung Internet 5',
  os: 'Tizen 7',
  ip: '120.24.78.68',
  region: '广东省 深圳市',
  network: 'same',
  time: new Date(2026, 10, 14, 21, 36).getTime(),
  needsProtection: false,
  scopes: [],
}
const device = (differently: object = {}) => ({
  ...user,
  '/api/oidc/device/read': { ...television, ...differently },
  '/api/oidc/device/answer': {},
})
const musicOfOthers = {
  client: { ...haifeng, name: '海风音乐' },
  browser: null,
  os: null,
  network: null,
  scopes: [
    { name: 'profile', reason: '用于显示您的昵称', required: true },
    { name: 'phone', reason: null, required: false },
    { name: 'offline_access', reason: null, required: false },
  ],
}
const devicePath = '/device/WDJB-MJHT'
const answerWith = (name: string, heading: string) => async (page: Page) => {
  await page.getByRole('button', { name, exact: true }).click()
  await page.getByRole('heading', { name: heading }).waitFor()
}

async function expireDevice(page: Page) {
  const refusal = { code: 'DEVICE_CODE_WRONG', message: '登录码不正确或已过期，请核对设备上显示的登录码' }
  await page.route('**/api/oidc/device/read', (route) => route.fulfill({ status: 400, json: refusal }))
  await page.reload({ waitUntil: 'networkidle' })
  await page.getByRole('heading', { name: '无法确认登录' }).waitFor()
}

async function typeHalf(page: Page) {
  await page.getByLabel('登录码').fill('wdjbmj')
  await page.getByRole('button', { name: '继续' }).click()
  await page.getByRole('alert').waitFor()
}

/** Signing in to other sites, and what they may know. */
export const oidcScreens: Screen[] = [
  { name: 'login-named', path: login, answers: interaction({ step: 'login' }) },
  {
    name: 'login-named-password',
    path: login,
    answers: interaction({ step: 'login', hint: 'zhixia@qingyu.example' }),
  },
  { name: 'login-again', path: login, signedIn: true, answers: { ...user, ...interaction({ step: 'login' }) } },
  { name: 'login-named-expired', path: login, answers: interaction(), prepare: expire },
  { name: 'user-consent', path: consent, signedIn: true, answers: { ...user, ...interaction() } },
  {
    name: 'user-consent-nothing',
    path: consent,
    signedIn: true,
    answers: { ...user, ...interaction({ scopes: [] }) },
  },
  {
    name: 'user-consent-unset',
    path: consent,
    signedIn: true,
    answers: {
      '/api/user/info': { nickname: '林知夏', email: null, permission: {} },
      ...interaction({ scopes: [...asked.scopes, { name: 'offline_access', reason: null, required: false }] }),
    },
  },
  {
    name: 'user-consent-account',
    path: consent,
    signedIn: true,
    answers: { ...user, ...interaction({ step: 'account' }) },
  },
  { name: 'user-consent-factor', path: consent, signedIn: true, answers: factors(['passkey', 'totp', 'recovery']) },
  { name: 'user-consent-enrol', path: consent, signedIn: true, answers: factors([]) },
  {
    name: 'user-consent-expired',
    path: consent,
    signedIn: true,
    answers: { ...user, ...interaction() },
    prepare: expire,
  },
  { name: 'user-authorizations', path: '/user/authorizations', signedIn: true, answers: list },
  {
    name: 'user-authorizations-confirm',
    path: '/user/authorizations',
    signedIn: true,
    answers: list,
    prepare: askRevocation,
  },
  {
    name: 'user-authorizations-empty',
    path: '/user/authorizations',
    signedIn: true,
    answers: { ...user, '/api/user/authorization/list': { data: [] } },
  },
  {
    name: 'logout-confirm',
    path: '/logout/x7Kq2',
    signedIn: true,
    answers: { ...user, '/api/oidc/logout/read': { client: haifeng } },
  },
  { name: 'logged-out', path: '/logout' },
  { name: 'authorize-error', path: '/authorizeError/invalid_redirect_uri?id=01JD2Q7XK3M9V5T8W4B6N0C1ZP' },
  { name: 'authorize-error-expired', path: '/authorizeError/session_not_found?id=01JD2Q7XK3M9V5T8W4B6N0C1ZP' },
  { name: 'device-type', path: '/device', signedIn: true, answers: user },
  { name: 'device-type-short', path: '/device', signedIn: true, answers: user, prepare: typeHalf },
  { name: 'device-approve', path: devicePath, signedIn: true, answers: device() },
  {
    name: 'device-approve-elsewhere',
    path: devicePath,
    signedIn: true,
    answers: device({ region: '浙江省 杭州市', network: 'elsewhere' }),
  },
  { name: 'device-approve-third', path: devicePath, signedIn: true, answers: device(musicOfOthers) },
  { name: 'device-protection', path: devicePath, signedIn: true, answers: device({ needsProtection: true }) },
  {
    name: 'device-approved',
    path: devicePath,
    signedIn: true,
    answers: device(),
    prepare: answerWith('确认登录', '已确认登录'),
  },
  {
    name: 'device-rejected',
    path: devicePath,
    signedIn: true,
    answers: device(),
    prepare: answerWith('拒绝', '已拒绝登录'),
  },
  { name: 'device-expired', path: devicePath, signedIn: true, answers: device(), prepare: expireDevice },
]
