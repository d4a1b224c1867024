import type { Page } from '@playwright/test'
import type { Screen } from './screen.ts'

const hours = (count: number) => Date.now() + count * 3_600_000
const none = { stage: 'none', purpose: null, protected: false, ready: null, expires: null }
const waiting = {
  stage: 'waiting',
  purpose: 'mobile',
  protected: false,
  ready: hours(71.5),
  expires: hours(71.5 + 7 * 24),
}

/** The server's response to the right password and code. */
async function answer(page: Page, standing: object) {
  const answers = {
    open: { ticket: 'x', email: 'li****@mail.example' },
    sendEmailCode: { retryAfter: 60 },
    prove: standing,
    start: waiting,
    sendMobileCode: { retryAfter: 60 },
    finish: null,
  }
  for (const [name, data] of Object.entries(answers))
    await page.route(`**/api/recovery/${name}`, (route) => route.fulfill({ json: { data } }))
}

async function givePassword(page: Page, standing: object = none) {
  await answer(page, standing)
  await page.getByRole('button', { name: '开始找回' }).click()
  await page.getByLabel('账号', { exact: true }).fill('zhixia_lin')
  await page.getByLabel('密码', { exact: true }).fill('Qy#2026autumn')
  await page.getByRole('button', { name: '下一步' }).click()
  await page.getByRole('heading', { name: '验证电子邮箱' }).waitFor()
}

/** After both proofs of the recovery, which stands as given. */
export async function giveCode(page: Page, standing: object = none) {
  await givePassword(page, standing)
  await page.getByRole('button', { name: '发送验证码' }).click()
  await page.getByLabel('邮箱验证码').fill('123456')
  await page.getByLabel('邮箱验证码').waitFor({ state: 'detached' })
}

async function setNumber(page: Page) {
  await giveCode(page, { ...waiting, stage: 'ready' })
  await page.getByLabel('新手机号').fill('13912345678')
  await page.getByRole('button', { name: '发送验证码' }).click()
  await page.getByLabel('短信验证码').fill('654321')
}

async function setTaken(page: Page) {
  await setNumber(page)
  const refusal = { code: 'MOBILE_TAKEN', message: '该手机号已被其他账号使用' }
  await page.route('**/api/recovery/finish', (route) => route.fulfill({ status: 409, json: refusal }))
  await page.getByRole('button', { name: '更换手机号' }).click()
  await page.getByRole('alert').waitFor()
}

async function finish(page: Page) {
  await setNumber(page)
  await page.getByRole('button', { name: '更换手机号' }).click()
  await page.getByRole('heading', { name: '手机号已更换' }).waitFor()
}

async function refuse(page: Page, code: string, message: string) {
  await page.route('**/api/recovery/open', (route) => route.fulfill({ status: 409, json: { code, message } }))
  await page.getByRole('button', { name: '开始找回' }).click()
  await page.getByLabel('账号', { exact: true }).fill('zhixia_lin')
  await page.getByLabel('密码', { exact: true }).fill('Qy#2026autumn')
  await page.getByRole('button', { name: '下一步' }).click()
  await page.getByRole('alert').waitFor()
}

const stopPath = `/recover/stop/${'a'.repeat(43)}`

async function stop(page: Page) {
  await page.route('**/api/recovery/stop', (route) => route.fulfill({ json: { data: null } }))
  await page.getByRole('button', { name: '不是我，立即停止' }).click()
  await page.getByRole('heading', { name: '已停止更换停用的手机号' }).waitFor()
}

async function stopTooLate(page: Page) {
  await page.getByRole('button', { name: '不是我，立即停止' }).click()
  await page.getByRole('heading', { name: '链接已失效' }).waitFor()
}

const recovering = { '/api/user/info': { recovery: waiting.ready } }

/** For users whose number is gone, and for those who didn't ask. */
export const recoveryScreens: Screen[] = [
  { name: 'recover', path: '/recover' },
  {
    name: 'recover-password',
    path: '/recover',
    prepare: (page) => refuse(page, 'LOGIN_FAILED', '账号或密码不正确，请核对后重新输入'),
  },
  {
    name: 'recover-helpless',
    path: '/recover',
    prepare: (page) => refuse(page, 'RECOVERY_CONTACT', '此账号暂不支持自助找回，请联系客服'),
  },
  {
    name: 'recover-no-passwords',
    path: '/recover',
    answers: { '/api/meta': { methods: ['mobile', 'wechat'], support: '400-820-8820' } },
  },
  { name: 'recover-email', path: '/recover', prepare: givePassword },
  { name: 'recover-begin', path: '/recover', prepare: giveCode },
  { name: 'recover-waiting', path: '/recover', prepare: (page) => giveCode(page, waiting) },
  {
    name: 'recover-waited',
    path: '/recover',
    prepare: (page) => giveCode(page, { ...waiting, ready: hours(-1) }),
  },
  { name: 'recover-number', path: '/recover', prepare: setNumber },
  { name: 'recover-taken', path: '/recover', prepare: setTaken },
  { name: 'recover-done', path: '/recover', prepare: finish },
  { name: 'recover-stop', path: stopPath },
  { name: 'recover-stopped', path: stopPath, prepare: stop },
  { name: 'recover-stopped-signed-in', path: stopPath, signedIn: true, prepare: stop },
  { name: 'recover-stop-late', path: stopPath, prepare: stopTooLate },
  { name: 'recover-banner', path: '/user', signedIn: true, answers: recovering },
  {
    name: 'recover-cancel',
    path: '/user',
    signedIn: true,
    answers: recovering,
    prepare: (page) => page.getByRole('button', { name: '取消更换' }).click(),
  },
]
