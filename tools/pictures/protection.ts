import type { Page } from '@playwright/test'
import type { Screen } from './screen.ts'

const day = 86_400_000
const now = Date.now()

const off = {
  protected: false,
  passkeys: [],
  totp: null,
  recovery: null,
  trusted: 0,
  trust: true,
  operator: false,
  recoverable: true,
  enrolment: false,
  otherWay: true,
}

const passkey = (place: number, name: string, synced: boolean, lastUsed: number | null) => ({
  id: `8c41f0b2-5b1e-4d0c-a2f7-19c0de8b6a5${place}`,
  name,
  created: now - (place + 3) * 11 * day,
  lastUsed,
  synced,
})

const on = {
  ...off,
  protected: true,
  passkeys: [
    passkey(0, 'iPhone', true, now - day / 4),
    passkey(1, 'Chrome 142 · Windows 11', false, now - 12 * day),
    passkey(2, '备用安全密钥（放在家里抽屉）', false, null),
  ],
  totp: { created: now - 15 * day, lastUsed: now - 1.1 * day },
  recovery: { created: now - 33 * day, left: 8 },
  trusted: 3,
}

const checked = { '/api/user/twoFactor/state': { twoFactor: true, second: [], factors: [] } }
const info = {
  '/api/user/info': { nickname: '林知夏', twoFactor: true, permission: {}, protected: false, enrolBy: null },
}

const codes = [
  '7K3M-Q9XD-PW4F',
  'H2VT-84NB-ZX7R',
  'W6RA-3JPE-KC5H',
  'C9YF-M5T2-VN8D',
  'X4RD-7GQK-T3PW',
  'N8BS-R2WV-HF6M',
  'P3EH-6ZCA-9XJK',
  'T7RJ-K9M4-BD2S',
  'F2GX-5DRY-WQ7V',
  'V6QN-8HTB-C4ZP',
]

/** The factors as given, of a user who has passed the check. */
const standing = (state: object, more: Record<string, object> = {}): Pick<Screen, 'signedIn' | 'answers'> => ({
  signedIn: true,
  answers: { ...info, ...checked, '/api/user/factor/state': state, ...more },
})

const secret = 'JBSWY3DPEHPK3PXPKRUGS4ZAMFZGKIDU'
const uri = `otpauth://totp/${encodeURIComponent('青屿生活:林知夏')}?secret=${secret}&issuer=${encodeURIComponent('青屿生活')}`
const enrolling = (state: object = off) =>
  standing(state, {
    '/api/user/factor/totp/begin': { secret, uri },
    '/api/user/factor/totp/confirm': { recoveryCodes: codes },
    '/api/user/factor/recovery/renew': { recoveryCodes: codes },
  })

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()

async function toCode(page: Page) {
  await press(page, '下一步')
  await page.getByLabel('动态验证码').fill('38')
}

async function wrongCode(page: Page) {
  const refusal = { code: 'FACTOR_WRONG', message: '验证未通过，请核对后重试' }
  await page.route('**/totp/confirm', (route) => route.fulfill({ status: 400, json: refusal }))
  await press(page, '下一步')
  await page.getByLabel('动态验证码').fill('382916')
  await page.getByRole('alert').waitFor()
}

async function toCodes(page: Page) {
  await press(page, '下一步')
  await page.getByLabel('动态验证码').fill('382916')
  await page.getByRole('heading', { name: '保存恢复码' }).waitFor()
}

async function renewed(page: Page) {
  await press(page, '重新生成')
  await page.getByRole('dialog').getByRole('button', { name: '重新生成' }).click()
  await page.getByRole('heading', { name: '保存恢复码' }).waitFor()
  await page.getByRole('checkbox').check()
}

async function asking(page: Page, name: string) {
  await press(page, name)
  await page.getByRole('dialog').waitFor()
}

/** 登录保护 of the account. */
export const protectionScreens: Screen[] = [
  { name: 'protection', path: '/user/protection', ...standing(on) },
  { name: 'protection-off', path: '/user/protection', ...standing(off) },
  { name: 'protection-wechat', path: '/user/protection', inWechat: true, ...standing(off) },
  { name: 'protection-few', path: '/user/protection', ...standing({ ...on, recovery: { created: now, left: 2 } }) },
  {
    name: 'protection-operator',
    path: '/user/protection',
    ...standing({ ...off, operator: true, enrolment: true }),
  },
  {
    name: 'protection-turn-off',
    path: '/user/protection',
    ...standing(on),
    prepare: (page) => asking(page, '关闭登录保护'),
  },
  {
    name: 'protection-add',
    path: '/user/protection',
    ...standing({ ...off, recoverable: false }),
    prepare: (page) => asking(page, '用通行密钥开启'),
  },
  { name: 'protection-passkeys', path: '/user/protection/passkeys', ...standing(on) },
  {
    name: 'protection-passkey-rename',
    path: '/user/protection/passkeys',
    ...standing(on),
    prepare: (page) => asking(page, '改名：iPhone'),
  },
  { name: 'protection-passkeys-none', path: '/user/protection/passkeys', inWechat: true, ...standing(off) },
  { name: 'protection-totp', path: '/user/protection/totp', ...enrolling() },
  { name: 'protection-totp-lost', path: '/user/protection/totp', ...enrolling({ ...off, recoverable: false }) },
  { name: 'protection-totp-code', path: '/user/protection/totp', ...enrolling(), prepare: toCode },
  { name: 'protection-totp-wrong', path: '/user/protection/totp', ...enrolling(), prepare: wrongCode },
  { name: 'protection-totp-codes', path: '/user/protection/totp', ...enrolling(), prepare: toCodes },
  { name: 'protection-totp-bound', path: '/user/protection/totp', ...standing(on) },
  {
    name: 'protection-totp-enrolment',
    path: '/user/protection/totp',
    ...standing({ ...off, operator: true, enrolment: true }),
  },
  { name: 'protection-needs-way', path: '/user/protection/totp', ...standing({ ...off, otherWay: false }) },
  { name: 'protection-codes', path: '/user/protection/codes', ...enrolling(on) },
  { name: 'protection-codes-new', path: '/user/protection/codes', ...enrolling(on), prepare: renewed },
]
