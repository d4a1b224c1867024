import type { Page } from '@playwright/test'
import { expect, type StorySite } from './fixtures.ts'
import { createMember, password } from './member.ts'

export type CodeTo = (to: string) => Promise<string>
export interface Owner {
  id: string
  mobile: string
  email: string
  username: string
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
export const emailCode = (page: Page) => page.getByLabel('邮箱验证码')

export const createOwner = async (site: StorySite): Promise<Owner> => {
  const { id, mobile = '', email = '', username } = await createMember(site, ['mobile', 'email'])
  return { id, mobile, email, username }
}

export async function givePassword(page: Page, account: string, secret = password) {
  await press(page, '开始找回')
  await typePassword(page, account, secret)
}

export async function typePassword(page: Page, account: string, secret = password) {
  await page.getByLabel('账号', { exact: true }).fill(account)
  await page.getByLabel('密码', { exact: true }).fill(secret)
  await press(page, '下一步')
}

export async function giveEmailCode(page: Page, codeTo: CodeTo, email: string) {
  await press(page, '发送验证码')
  await expect(emailCode(page)).toBeFocused()
  await emailCode(page).fill(await codeTo(email))
}

export async function proveBoth(page: Page, site: StorySite, codeTo: CodeTo, { username, email }: Owner) {
  await page.goto(`${site.url}/recover`)
  await givePassword(page, username)
  await giveEmailCode(page, codeTo, email)
}

/** So many hours pass for the recoveries of a site. */
export const pass = (site: StorySite, hours: number) =>
  site.query(
    `UPDATE recovery SET ready_at = ready_at - make_interval(hours => $2),
       expires_at = expires_at - make_interval(hours => $2) WHERE site_id = $1`,
    [hours],
  )
