import type { Page } from '@playwright/test'
import { giveCode } from './recovery.ts'
import type { Screen } from './screen.ts'

const path = `/login/second#${'T'.repeat(43)}`
const totp = '验证器应用中的六位动态验证码'

/** The second step of an account with these factors. */
const secondStep = (ways: string[], trust = true) => ({ '/api/login/factor/read': { ways, name: '林知夏', trust } })
const all = secondStep(['passkey', 'totp', 'recovery'])

async function refuse(page: Page, call: string, status: number, json: object) {
  await page.route(`**${call}`, (route) => route.fulfill({ status, json }))
}

async function wrongTotp(page: Page) {
  await refuse(page, '/api/login/factor', 400, { code: 'FACTOR_WRONG', message: '验证未通过，请核对后重试' })
  await page.getByLabel(totp).fill('704123')
  await page.getByRole('alert').waitFor()
}

async function pausedTotp(page: Page) {
  const refusal = { code: 'FACTOR_PAUSED', message: '错误次数过多，请稍后再试', details: { retryAfter: 480 } }
  await refuse(page, '/api/login/factor', 429, refusal)
  await page.getByLabel(totp).fill('704123')
  await page.getByRole('alert').waitFor()
}

async function typeRecovery(page: Page) {
  await page.getByRole('button', { name: '恢复码' }).click()
  await page.getByLabel('恢复码').fill('k7qdx4mp')
}

async function expire(page: Page) {
  await refuse(page, '/api/login/factor', 410, { code: 'FACTOR_EXPIRED', message: '验证已超时，请重新登录' })
  await page.getByLabel(totp).fill('704123')
  await page.getByRole('alert').waitFor()
}

const factors = { twoFactor: false, way: null, second: [], factors: ['passkey', 'totp', 'recovery'] }
const protectedUser = { protected: true, enrolBy: null }

async function askFactor(page: Page) {
  const refusal = { code: 'TWO_FACTOR_REQUIRED', message: '当前操作需要先验证您的身份', details: { factor: true } }
  await refuse(page, '/api/merchant/user/query', 403, refusal)
  await page.reload()
  await page.getByLabel(totp).waitFor()
}

const days = (count: number) => Date.now() + count * 86_400_000
const none = { stage: 'none', purpose: null, protected: true, ready: null, expires: null }
const begun = { stage: 'waiting', purpose: 'factor', protected: true, ready: days(2.98), expires: days(9.98) }

async function beginRemoval(page: Page) {
  await giveCode(page, none)
  await page.getByRole('button', { name: '登录保护的验证方式丢了' }).click()
}

async function remove(page: Page) {
  await giveCode(page, { ...begun, stage: 'ready' })
  await page.route('**/api/recovery/removeFactors', (route) => route.fulfill({ json: { data: null } }))
  await page.getByRole('button', { name: '移除登录保护' }).click()
  await page.getByRole('heading', { name: '登录保护已移除' }).waitFor()
}

/** What owners of protected accounts see before and after they are signed in, and operators without a factor. */
export const factorScreens: Screen[] = [
  { name: 'second-totp', path, answers: all, prepare: (page) => page.getByLabel(totp).fill('704') },
  { name: 'second-wrong', path, answers: all, prepare: wrongTotp },
  { name: 'second-paused', path, answers: all, prepare: pausedTotp },
  { name: 'second-recovery', path, answers: all, prepare: typeRecovery },
  { name: 'second-passkey', path, answers: secondStep(['passkey', 'recovery']) },
  { name: 'second-in-wechat', path, answers: secondStep(['passkey', 'recovery']), inWechat: true },
  { name: 'second-operator', path, answers: secondStep(['totp', 'recovery'], false) },
  { name: 'second-expired', path, answers: all, prepare: expire },
  {
    name: 'two-factor-factor',
    path: '/user/twoFactor/authorize',
    signedIn: true,
    answers: { '/api/user/info': protectedUser, '/api/user/twoFactor/state': factors },
  },
  {
    name: 'merchant-enrol',
    path: '/merchant/users',
    signedIn: true,
    answers: { '/api/user/info': { protected: false, enrolBy: 0 } },
  },
  {
    name: 'merchant-enrol-soon',
    path: '/merchant',
    signedIn: true,
    answers: { '/api/user/info': { protected: false, enrolBy: days(14) } },
  },
  {
    name: 'merchant-check',
    path: '/merchant/users',
    signedIn: true,
    answers: { '/api/user/info': protectedUser, '/api/user/twoFactor/state': factors },
    prepare: askFactor,
  },
  { name: 'recover-choice', path: '/recover', prepare: (page) => giveCode(page, none) },
  { name: 'recover-factor-begin', path: '/recover', prepare: beginRemoval },
  { name: 'recover-factor-waiting', path: '/recover', prepare: (page) => giveCode(page, begun) },
  { name: 'recover-factor', path: '/recover', prepare: (page) => giveCode(page, { ...begun, stage: 'ready' }) },
  { name: 'recover-factor-done', path: '/recover', prepare: remove },
  { name: 'recover-factor-stop', path: `/recover/stop/${'a'.repeat(43)}?purpose=factor` },
  {
    name: 'recover-factor-banner',
    path: '/user',
    signedIn: true,
    answers: { '/api/user/info': { recovery: begun.ready, recoveryPurpose: 'factor' } },
  },
]
