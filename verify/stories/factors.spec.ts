import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import type { TOTP } from 'otpauth'
import { appOf, nextCode } from './authenticator-app.ts'
import {
  checkByApp,
  dialog,
  expectUserCentre,
  giveLoginPassword,
  openProtection,
  press,
  recoveryField,
  saveCodes,
  secondStep,
  shownCodes,
  signOut,
  totpField,
} from './factors.ts'
import { expect, prefer, test } from './fixtures.ts'
import {
  checkByPassword,
  checkPath,
  createMember,
  misfits,
  openChange,
  passMinute,
  themedFaults,
  wrongCode,
} from './member.ts'
import { scanQr } from './read-qr.ts'
import { createOwner, giveEmailCode, givePassword, pass, proveBoth } from './recovering.ts'

const totpPath = '/user/protection/totp'

/** From the page of the factors to the first code. */
async function scanSecret(page: Page): Promise<TOTP> {
  const qr = page.getByRole('img', { name: '绑定验证器的二维码' })
  await expect(qr).toBeVisible()
  const { text } = await scanQr(qr)
  expect(text).toMatch(/^otpauth:\/\/totp\//)
  return appOf(text)
}

test('D192 D160 D179 D180 an authenticator app is bound by its QR code; recovery codes are shown once, and each signs in once', async ({
  page,
  product,
  isMobile,
}) => {
  const site = await product.site()
  const member = await createMember(site)
  await openProtection(page, site, member)
  await page.getByRole('link', { name: '验证器应用' }).click()
  await expect(page).toHaveURL(site.url + checkPath)
  await checkByPassword(page)
  await expect(page).toHaveURL(site.url + totpPath)
  const app = await scanSecret(page)
  await press(page, '下一步')
  const code = page.getByLabel('动态验证码', { exact: true })
  await code.fill(wrongCode(app.generate()))
  await expect(page.getByRole('alert')).toHaveText('动态验证码不正确，请输入验证器应用中最新的六位数字')
  await code.fill(app.generate())
  await expect(page.getByText('验证器已绑定，登录保护已开启')).toBeVisible()
  await expect(shownCodes(page)).toHaveCount(10)

  // Leaving asks first; the file holds what is shown.
  await page.getByRole('button', { name: '返回' }).click()
  await expect(dialog(page)).toContainText('离开后将无法再次查看')
  await dialog(page).getByRole('button', { name: '取消' }).click()
  const [file] = await Promise.all([page.waitForEvent('download'), press(page, '下载')])
  const written = readFileSync(await file.path(), 'utf8')
  const codes = await saveCodes(page)
  for (const each of codes) expect(written).toContain(each)
  await expect(page.getByText('剩余 10 个')).toBeVisible()
  await page.getByRole('link', { name: '恢复码' }).click()
  await expect(page.getByText('恢复码只在生成时显示一次')).toBeVisible()
  await expect(shownCodes(page)).toHaveCount(0)

  // The password is the first step now.
  await signOut(page)
  await giveLoginPassword(page, site, member)
  await expect(secondStep(page)).toBeVisible()
  if (!isMobile) await expect(totpField(page)).toBeFocused()
  await page.reload()
  const right = await nextCode(site, app)
  await totpField(page).fill(wrongCode(right))
  await expect(page.getByRole('alert')).toHaveText('验证未通过，请核对后重试')
  await totpField(page).fill(right)
  await expectUserCentre(page, site)

  // Without the phone a recovery code does, once.
  await signOut(page)
  await giveLoginPassword(page, site, member)
  await press(page, '恢复码')
  const first = codes[0] ?? ''
  await recoveryField(page).fill(first.toLowerCase().replaceAll('-', ' '))
  await expect(recoveryField(page)).toHaveValue(first)
  await press(page, '验证')
  await expectUserCentre(page, site)
  await page.goto(`${site.url}/user/protection`)
  await expect(page.getByText('剩余 9 个')).toBeVisible()
  await signOut(page)
  await giveLoginPassword(page, site, member)
  await press(page, '恢复码')
  await recoveryField(page).fill(first)
  await press(page, '验证')
  await expect(page.getByRole('alert')).toHaveText('验证未通过，请核对后重试')
})

test('D136 D186 a trusted browser takes no second step, but a step-up needs the factor; trust ends when it is withdrawn', {
  tag: '@full',
}, async ({ page, product }) => {
  const site = await product.site()
  const member = await createMember(site)
  await site.protect(member.id)
  await giveLoginPassword(page, site, member)
  await page.getByRole('checkbox', { name: /信任这台设备/ }).check()
  await totpField(page).fill(await nextCode(site))
  await expectUserCentre(page, site)
  await signOut(page)
  await giveLoginPassword(page, site, member)
  await expectUserCentre(page, site)
  await openChange(page, '/user/changeUsername')
  await checkByApp(page, site)
  await expect(page.getByLabel('新用户名')).toBeVisible()
  await page.goto(`${site.url}/user/protection`)
  await page.getByRole('button', { name: '已信任的设备' }).click()
  await dialog(page).getByRole('button', { name: '全部取消信任' }).click()
  await expect(page.getByRole('button', { name: '已信任的设备' })).toHaveCount(0)
  await signOut(page)
  await giveLoginPassword(page, site, member)
  await expect(totpField(page)).toBeVisible()
})

test('D181 D185 new recovery codes replace the former ones, and turning the protection off removes every factor', {
  tag: '@full',
}, async ({ page, product }) => {
  const site = await product.site()
  const member = await createMember(site)
  await site.protect(member.id)
  await openProtection(page, site, member)
  await page.getByRole('link', { name: '恢复码' }).click()
  await press(page, '重新生成')
  await checkByApp(page, site)
  await dialog(page).getByRole('button', { name: '重新生成' }).click()
  const [code = ''] = await saveCodes(page)
  await signOut(page)
  await giveLoginPassword(page, site, member)
  await press(page, '恢复码')
  await recoveryField(page).fill(code)
  await press(page, '验证')
  await expectUserCentre(page, site)
  await openChange(page, '/user/protection')
  await press(page, '关闭登录保护')
  await expect(dialog(page)).toContainText('通行密钥、验证器、恢复码和已信任的设备将全部移除')
  await dialog(page).getByRole('button', { name: '关闭', exact: true }).click()
  await expect(page.getByRole('button', { name: '用通行密钥开启' })).toBeVisible()
  await signOut(page)
  await giveLoginPassword(page, site, member)
  await expectUserCentre(page, site)
})

test('D138 D173 D174 lost factors are removed after password, e-mail code and 72 hours, not before, and the owner can stop it', {
  tag: '@full',
}, async ({ page, product, codeTo, findSent, browser }) => {
  test.slow()
  const site = await product.site()
  const owner = await createOwner(site)
  const { id, email, username } = owner
  await site.protect(id)
  await giveLoginPassword(page, site, owner)
  await page.getByRole('link', { name: '申请找回账号' }).click()
  await expect(page.getByRole('heading', { name: '验证方式都用不了？' })).toBeVisible()
  const begin = async () => {
    await givePassword(page, username)
    await giveEmailCode(page, codeTo, email)
    await press(page, '登录保护的验证方式丢了')
    await press(page, '申请找回')
    await expect(page.getByText('还需等待 3 天')).toBeVisible()
  }
  await begin()

  // The owner, who has the phone after all, is notified.
  const own = await (await browser.newContext({ viewport: page.viewportSize() })).newPage()
  await own.goto(await findSent(email, /\S+\/recover\/stop\/\S+/))
  await expect(own.getByRole('heading', { name: '有人申请移除您账号的登录保护' })).toBeVisible()
  await press(own, '不是我，立即停止')
  await expect(own.getByRole('heading', { name: '已停止移除登录保护' })).toBeVisible()
  await own.close()

  await passMinute(page, site, email)
  await page.evaluate(() => sessionStorage.clear())
  await page.goto(`${site.url}/recover`)
  await begin()
  await pass(site, 71)
  await passMinute(page, site, email)
  await page.evaluate(() => sessionStorage.clear())
  await proveBoth(page, site, codeTo, owner)
  await expect(page.getByText('还需等待 1 小时')).toBeVisible()
  await pass(site, 1)
  await passMinute(page, site, email)
  await page.evaluate(() => sessionStorage.clear())
  await proveBoth(page, site, codeTo, owner)
  await press(page, '移除登录保护')
  await expect(page.getByRole('heading', { name: '登录保护已移除' })).toBeVisible()
  await giveLoginPassword(page, site, owner)
  await expectUserCentre(page, site)
  await expect(page.locator('a[href="/user/protection"]')).toContainText('未开启')
})

test('the pages of the second factors have no faults and fit, in light and dark', { tag: '@full' }, async ({
  page,
  product,
}) => {
  test.slow()
  const site = await product.site()
  const member = await createMember(site)
  await prefer(page, { fontSize: 18 })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await openProtection(page, site, member)
  const faultless = async (name: string) => {
    expect(await themedFaults(page), name).toEqual([])
    expect(await misfits(page), name).toEqual([])
  }
  await expect(page.getByRole('button', { name: '用通行密钥开启' })).toBeVisible()
  await faultless('off')
  await page.getByRole('link', { name: '验证器应用' }).click()
  await checkByPassword(page)
  const app = await scanSecret(page)
  await faultless('scan')
  await press(page, '下一步')
  await faultless('code')
  await page.getByLabel('动态验证码', { exact: true }).fill(app.generate())
  await expect(shownCodes(page)).toHaveCount(10)
  await faultless('codes')
  await saveCodes(page)
  await expect(page.getByText('剩余 10 个')).toBeVisible()
  await faultless('on')
  for (const path of ['passkeys', 'totp', 'codes']) {
    await page.goto(`${site.url}/user/protection/${path}`)
    await expect(page.locator('#main .row, #main .empty').first()).toBeVisible()
    await faultless(path)
  }
  await signOut(page)
  await giveLoginPassword(page, site, member)
  await expect(totpField(page)).toBeVisible()
  await faultless('second step')
  await press(page, '恢复码')
  await expect(recoveryField(page)).toBeVisible()
  await faultless('second step by recovery code')
})
