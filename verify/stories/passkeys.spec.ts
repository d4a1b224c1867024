import type { Page } from '@playwright/test'
import {
  beginWithPasskey,
  dialog,
  expectUserCentre,
  giveLoginPassword,
  openProtection,
  press,
  secondStep,
  signOut,
} from './factors.ts'
import { expect, type StorySite, test } from './fixtures.ts'
import { checkPath, createMember, openChange, openEmpty } from './member.ts'
import { type Authenticator, addAuthenticator } from './passkeys.ts'

const hostOf = (site: StorySite) => new URL(site.url).hostname

/** Whose session it is. */
const nameOf = (page: Page) =>
  page.evaluate(async () => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch('/api/user/info', { method: 'POST', headers, body: '{}' })
    return ((await answer.json()) as { data: { username: string } }).data.username
  })

/**
 * By the button, while the browser suggests passkeys in the field too: those are not taken, and the button's request
 * takes the place of that one.
 */
async function pressPasskey(page: Page, site: StorySite, authenticator: Authenticator) {
  await authenticator.touch(false)
  const suggested = page.waitForResponse('**/api/login/passkey/options')
  await page.goto(`${site.url}/login`)
  await suggested
  // A request that waits already isn't answered by a later touch.
  await page.waitForTimeout(500)
  await authenticator.touch(true)
  await press(page, '使用通行密钥登录')
}

test('D190 D177 a passkey begins the protection, and signs in by the button, in the first field and at a step-up', async ({
  page,
  product,
}) => {
  const site = await product.site()
  const member = await createMember(site)
  const authenticator = await addAuthenticator(page)
  await openProtection(page, site, member)
  await beginWithPasskey(page, site)
  await expect(page.getByRole('heading', { name: '登录保护 已开启' })).toBeVisible()
  expect(await authenticator.hosts()).toEqual([hostOf(site)])

  // The browser suggests it in the first field; its user has nothing to type.
  await signOut(page)
  await page.goto(`${site.url}/login`)
  await expectUserCentre(page, site)
  expect(await nameOf(page)).toBe(member.username)

  await signOut(page)
  await pressPasskey(page, site, authenticator)
  await expectUserCentre(page, site)

  // That was a step-up. An hour later the passkey is the next one, and nothing typed is lost.
  await openChange(page, '/user/changeUsername')
  await page.getByLabel('新用户名').fill(`${member.username}x`)
  await site.ageFactor(member.id, 1)
  await press(page, '确认修改')
  await expect(page).toHaveURL(site.url + checkPath)
  await press(page, '使用通行密钥')
  await expect(page.getByLabel('新用户名')).toHaveValue(`${member.username}x`)
})

test('D191 passkeys of two brands don’t mix', async ({ page, product }) => {
  const [one, other] = [await product.site(), await product.site()]
  const [first, second] = [await createMember(one), await createMember(other)]
  const authenticator = await addAuthenticator(page)
  await openProtection(page, one, first)
  await beginWithPasskey(page, one)

  // The other brand finds none, and can't ask for those of the first.
  await pressPasskey(page, other, authenticator)
  await expect(page.getByText('未使用通行密钥登录，可重试或换一种方式')).toBeVisible()
  await openEmpty(page, other)
  const claimed = await page.evaluate(
    (rpId) =>
      navigator.credentials.get({ publicKey: { challenge: new Uint8Array(32), rpId } }).then(
        () => 'given',
        (error: Error) => error.name,
      ),
    hostOf(one),
  )
  expect(claimed).toBe('SecurityError')

  await openProtection(page, other, second)
  await beginWithPasskey(page, other)
  expect(await authenticator.hosts()).toEqual([hostOf(one), hostOf(other)].sort())
  for (const [site, { username }] of [
    [one, first],
    [other, second],
  ] as const) {
    await signOut(page)
    await page.goto(`${site.url}/login`)
    await expectUserCentre(page, site)
    expect(await nameOf(page)).toBe(username)
  }
})

test('D177 D185 a passkey is named and removed; a device adds no second one, and removing the last one ends the protection', {
  tag: '@full',
}, async ({ page, product }) => {
  const site = await product.site()
  const member = await createMember(site)
  await addAuthenticator(page)
  await openProtection(page, site, member)
  const codes = await beginWithPasskey(page, site)
  expect(new Set(codes).size).toBe(10)
  await page.getByRole('link', { name: '通行密钥' }).click()
  await page.getByRole('button', { name: /^改名/ }).click()
  await dialog(page).getByLabel('名称').fill('我的手机')
  await dialog(page).getByRole('button', { name: '保存' }).click()
  await expect(page.getByText('我的手机')).toBeVisible()

  // The same device has one for this account already.
  await press(page, '添加通行密钥')
  await dialog(page).getByRole('button', { name: '继续' }).click()
  await expect(page.getByText('这台设备上已有该账号的通行密钥，不需要再添加。')).toBeVisible()
  await dialog(page).getByRole('button', { name: '取消' }).click()

  await page.getByRole('button', { name: '移除：我的手机' }).click()
  await expect(dialog(page)).toContainText('移除后登录保护将关闭')
  await dialog(page).getByRole('button', { name: '移除' }).click()
  await expect(page.getByText('还没有通行密钥')).toBeVisible()

  // The device still has it, the account doesn't.
  await signOut(page)
  await page.goto(`${site.url}/login`)
  await expect(page.getByText('此通行密钥不属于该账号或已被移除，请换一种方式')).toBeVisible()
  await giveLoginPassword(page, site, member)
  await expect(secondStep(page)).toHaveCount(0)
  await expectUserCentre(page, site)
})
