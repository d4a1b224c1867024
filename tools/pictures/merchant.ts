import type { Page } from '@playwright/test'
import { badHome, merchantAnswers, quietHome, unprotectedOperators, userId, wholeUser } from './merchant-answers.ts'
import type { Screen } from './screen.ts'

/** Every answer of the back-office as of a busy site, or as given. */
async function busy(page: Page, differently: Record<string, unknown> = {}) {
  for (const [path, data] of Object.entries({ ...merchantAnswers, ...differently }))
    await page.route(`**${path}`, (route) => route.fulfill({ json: { data } }))
  await page.reload({ waitUntil: 'load' })
  await page.waitForTimeout(800)
}

async function selectTwo(page: Page) {
  await busy(page)
  const boxes = page.getByRole('checkbox', { name: /^选择/ })
  for (const place of [2, 4]) await boxes.nth(place).check()
}

async function press(page: Page, name: string) {
  await page.getByRole('button', { name, exact: true }).first().click()
  await page.waitForTimeout(300)
}

async function resetFactors(page: Page) {
  const enrolment = { enrolment: 'W6RA-3JPE-KC5H', expires: Date.now() + 15 * 60_000 }
  await busy(page, { '/api/merchant/user/resetFactors': enrolment })
  await press(page, '重置登录保护')
  await page.getByLabel('原因').fill('手机丢失，已电话核实本人')
  await press(page, '重置')
  await page.getByRole('heading', { name: '重置码' }).waitFor()
}

async function askExport(page: Page) {
  await busy(page)
  await press(page, '导出')
}

const running = {
  id: '1',
  status: 'running',
  done: 31_000,
  total: 48_216,
  time: Date.now(),
  expires: null,
}

/** A user whose number is being recovered and whose account will end. */
const pending = {
  ...wholeUser,
  recovery: Date.now() + 71 * 3_600_000,
  closing: Date.now() + 6 * 86_400_000,
}

/** Writes into the editor in place of what it shows. */
async function write(page: Page, text: string) {
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+A')
  await page.keyboard.insertText(text)
  await page.waitForTimeout(1_200)
}

const faulty = `{
  "name": "",
  "theme": { "primary": "墨绿" },
  "logoIcon": "http://www.qingyu.example/a/very/long/address/of/a/picture/that/reaches/far/to/the/right.png",
  "methods": ["mobile"]
}`

/** The back-office but feedback, which stands with the other side of it. */
export const merchantScreens: Screen[] = [
  { name: 'merchant-home', path: '/merchant', signedIn: true, prepare: busy },
  {
    name: 'merchant-home-quiet',
    path: '/merchant',
    signedIn: true,
    prepare: (page) => busy(page, { '/api/merchant/home': quietHome }),
  },
  {
    name: 'merchant-home-bad',
    path: '/merchant',
    signedIn: true,
    prepare: (page) => busy(page, { '/api/merchant/home': badHome }),
  },
  { name: 'merchant-statistics', path: '/merchant/statistics', signedIn: true, prepare: busy },
  { name: 'merchant-users', path: '/merchant/users', signedIn: true, prepare: busy },
  { name: 'merchant-users-selected', path: '/merchant/users', signedIn: true, prepare: selectTwo },
  {
    name: 'merchant-users-none',
    path: '/merchant/users?search=unknown',
    signedIn: true,
    prepare: (page) => busy(page, { '/api/merchant/user/query': { count: 0, more: false, data: [] } }),
  },
  { name: 'merchant-export-ask', path: '/merchant/users', signedIn: true, prepare: askExport },
  {
    name: 'merchant-export',
    path: '/merchant/users',
    signedIn: true,
    prepare: (page) => busy(page, { '/api/merchant/user/exports': { count: 1, data: [running] } }),
  },
  { name: 'merchant-person', path: `/merchant/users/${userId}`, signedIn: true, prepare: busy },
  {
    name: 'merchant-person-release',
    path: `/merchant/users/${userId}`,
    signedIn: true,
    prepare: async (page) => {
      await busy(page)
      await press(page, '移除失效手机号')
    },
  },
  {
    name: 'merchant-person-reset',
    path: `/merchant/users/${userId}`,
    signedIn: true,
    prepare: async (page) => {
      await busy(page)
      await press(page, '重置登录保护')
    },
  },
  {
    name: 'merchant-person-reset-code',
    path: `/merchant/users/${userId}`,
    signedIn: true,
    prepare: resetFactors,
  },
  {
    name: 'merchant-users-unprotected',
    path: '/merchant/users?only=unprotectedOperators',
    signedIn: true,
    prepare: (page) => busy(page, { '/api/merchant/user/query': unprotectedOperators }),
  },
  {
    name: 'merchant-person-pending',
    path: `/merchant/users/${userId}`,
    signedIn: true,
    prepare: (page) => busy(page, { '/api/merchant/user/read': pending }),
  },
  {
    name: 'merchant-person-recovery',
    path: `/merchant/users/${userId}`,
    signedIn: true,
    prepare: async (page) => {
      await busy(page, { '/api/merchant/user/read': pending })
      await press(page, '取消更换')
    },
  },
  { name: 'merchant-log', path: '/merchant/log', signedIn: true, prepare: busy },
  { name: 'merchant-wechat', path: '/merchant/wechat', signedIn: true },
  { name: 'merchant-wechat-menu', path: '/merchant/wechat?tab=menu', signedIn: true },
  { name: 'merchant-wechat-message', path: '/merchant/wechat?tab=message', signedIn: true },
  { name: 'merchant-config', path: '/merchant/config', signedIn: true },
  {
    name: 'merchant-config-error',
    path: '/merchant/config',
    signedIn: true,
    prepare: (page) => write(page, '{\n  "name": "青屿生活",\n  "theme": { "primary": "#0f766e"\n}'),
  },
  {
    name: 'merchant-config-faults',
    path: '/merchant/config',
    signedIn: true,
    prepare: (page) => write(page, faulty),
  },
  { name: 'merchant-ai', path: '/merchant/ai', signedIn: true },
]
