import type { Page } from '@playwright/test'
import { nextCode } from './authenticator-app.ts'
import { expect, type StorySite } from './fixtures.ts'
import { checkByPassword, checkPath, enter, type Member, openChange, password } from './member.ts'

export const protectionPath = '/user/protection'
export const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
export const dialog = (page: Page) => page.getByRole('dialog')
export const secondStep = (page: Page) => page.getByRole('heading', { name: '两步验证' })
export const totpField = (page: Page) => page.getByLabel('验证器应用中的六位动态验证码')
export const recoveryField = (page: Page) => page.getByLabel('恢复码', { exact: true })
export const shownCodes = (page: Page) => page.getByRole('list', { name: '恢复码' }).getByRole('listitem')

/** Signed in by password and on the page of the factors, as a user goes there. */
export async function openProtection(page: Page, site: StorySite, member: Member) {
  await enter(page, site, member)
  await openChange(page, protectionPath)
  await expect(page).toHaveURL(site.url + protectionPath)
}

/** Adds the first passkey from there, and leaves with the recovery codes. */
export async function beginWithPasskey(page: Page, site: StorySite): Promise<string[]> {
  await press(page, '用通行密钥开启')
  await expect(page).toHaveURL(site.url + checkPath)
  await checkByPassword(page)
  await expect(page).toHaveURL(site.url + protectionPath)
  await dialog(page).getByRole('button', { name: '继续' }).click()
  return await saveCodes(page)
}

/** Reads the codes, which are shown once, and confirms. */
export async function saveCodes(page: Page): Promise<string[]> {
  await expect(shownCodes(page)).toHaveCount(10)
  const codes = await shownCodes(page).allInnerTexts()
  await page.getByRole('checkbox', { name: '我已妥善保存' }).check()
  await press(page, '完成')
  await expect(shownCodes(page)).toHaveCount(0)
  return codes.map((code) => code.trim())
}

/** Without a session; the browser is known. */
export async function signOut(page: Page) {
  await page.context().clearCookies({ name: /^__Host-hufu(-in)?$/ })
}

/** The first step, on the sign-in page. */
export async function giveLoginPassword(page: Page, site: StorySite, { username }: Pick<Member, 'username'>) {
  await page.goto(`${site.url}/login`)
  await press(page, '密码登录')
  await page.getByLabel('账号', { exact: true }).fill(username)
  await page.getByLabel('密码', { exact: true }).fill(password)
  await press(page, '登录')
}

export async function expectUserCentre(page: Page, site: StorySite) {
  await expect(page).toHaveURL(`${site.url}/user`)
  await expect(page.getByRole('link', { name: '电子邮箱' })).toBeVisible()
}

/** The step-up of an account whose authenticator has the secret of stories. */
export async function checkByApp(page: Page, site: StorySite) {
  await expect(page).toHaveURL(site.url + checkPath)
  await totpField(page).fill(await nextCode(site))
}
