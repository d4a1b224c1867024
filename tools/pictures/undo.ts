import type { Page } from '@playwright/test'
import type { Screen } from './screen.ts'

const path = `/undo/${'a'.repeat(43)}`
const minutesAgo = (count: number) => Date.now() - count * 60_000

const change = (index: number, kind: string, more: object = {}) => ({
  id: `00000000-0000-4000-8000-00000000000${index}`,
  kind,
  time: minutesAgo(index * 7),
  noticed: false,
  ways: ['password', 'mobile'],
  mobile: '138****5678',
  ...more,
})
const several = [change(1, 'email'), change(2, 'mobile', { noticed: true }), change(3, 'password')]

const shows = (changes: object[]) => (page: Page) =>
  page.route('**/api/undo/read', (route) => route.fulfill({ json: { data: { changes } } }))

async function open(page: Page, changes = several) {
  await shows(changes)(page)
  await page.reload()
  await page.getByRole('button', { name: '不是我，撤销更改' }).waitFor()
}

async function prove(page: Page) {
  await open(page)
  await page.getByRole('button', { name: '不是我，撤销更改' }).click()
  await page.getByRole('heading', { name: '验证身份' }).waitFor()
}

async function sendCode(page: Page) {
  await page.route('**/api/undo/sendCode', (route) => route.fulfill({ json: { data: { retryAfter: 60 } } }))
  await prove(page)
  await page.getByRole('radio', { name: '短信验证码' }).check()
  await page.getByRole('button', { name: '发送验证码' }).click()
  await page.getByLabel('短信验证码').last().waitFor()
}

async function newPassword(page: Page) {
  await prove(page)
  await page.getByLabel('更改之前的登录密码').fill('Qy#2026autumn')
  await page.getByRole('button', { name: '下一步' }).click()
  await page.getByRole('heading', { name: '设置新密码' }).waitFor()
}

async function finish(page: Page) {
  await page.route('**/api/undo/apply', (route) => route.fulfill({ json: { data: null } }))
  await newPassword(page)
  await page.getByLabel('新密码', { exact: true }).fill('Qy#2027spring')
  await page.getByLabel('确认新密码').fill('Qy#2027spring')
  await page.getByRole('button', { name: '恢复账号' }).click()
  await page.getByRole('heading', { name: '账号已恢复' }).waitFor()
}

/** For owners whose account was changed by another. */
export const undoScreens: Screen[] = [
  { name: 'undo', path, prepare: open },
  { name: 'undo-one', path, prepare: (page) => open(page, [change(1, 'password', { noticed: true })]) },
  { name: 'undo-proof', path, prepare: prove },
  { name: 'undo-code', path, prepare: sendCode },
  { name: 'undo-password', path, prepare: newPassword },
  { name: 'undo-done', path, prepare: finish },
  { name: 'undo-expired', path },
]
