import type { Browser, Page } from '@playwright/test'
import { nextCode } from './authenticator-app.ts'
import {
  beginWithPasskey,
  checkByApp,
  dialog,
  giveLoginPassword,
  openProtection,
  press,
  protectionPath,
  saveCodes,
  totpField,
} from './factors.ts'
import { expect, type StorySite, test } from './fixtures.ts'
import { axeFaults, checkPath, createMember, enter, misfits } from './member.ts'
import { addAuthenticator } from './passkeys.ts'

const everything = ['READ', 'WRITE', 'ADMIN']
const rows = (page: Page) => page.locator('tbody tr, .table-cards li')
const required = (page: Page) => page.getByRole('heading', { name: '请先开启登录保护' })
const banner = (page: Page) => page.getByRole('region', { name: '登录保护提醒' })

const anotherPage = async (browser: Browser, page: Page) =>
  (await browser.newContext({ viewport: page.viewportSize() })).newPage()

/** An operator of before: rights, and no second factor. */
async function createUnprotected(site: StorySite) {
  const member = await createMember(site)
  await site.grant(member.id, everything, { factor: false })
  return member
}

test('D146 D170 an operator without a second factor is led to add one, and then works', async ({ page, product }) => {
  const site = await product.site()
  const operator = await createUnprotected(site)
  await addAuthenticator(page)
  await enter(page, site, operator)
  await page.goto(`${site.url}/merchant/users`)
  await expect(required(page)).toBeVisible()
  await expect(rows(page)).toHaveCount(0)
  await page.getByRole('link', { name: '开启登录保护' }).click()
  await expect(page).toHaveURL(site.url + protectionPath)
  await beginWithPasskey(page, site)
  await press(page, '返回')
  await expect(page).toHaveURL(`${site.url}/merchant/users`)
  await expect(rows(page)).toHaveCount(1)
})

test('D145 D183 the last factor of an operator stays', { tag: '@full' }, async ({ page, product }) => {
  const site = await product.site()
  const operator = await createMember(site, [], everything)
  await openProtection(page, site, operator)
  await expect(page.getByText('后台成员需要保持登录保护开启，至少保留一种验证方式。')).toBeVisible()
  await expect(page.getByRole('button', { name: '关闭登录保护' })).toHaveCount(0)
  await page.getByRole('link', { name: '验证器应用' }).click()
  await expect(page.getByText('绑定时间')).toBeVisible()
  await expect(page.getByRole('button', { name: '移除验证器' })).toHaveCount(0)

  // With a passkey beside it either can be removed, and then the other stays.
  await addAuthenticator(page)
  await page.goto(site.url + protectionPath)
  await press(page, '添加通行密钥')
  await checkByApp(page, site)
  await dialog(page).getByRole('button', { name: '继续' }).click()
  await saveCodes(page)
  await page.getByRole('link', { name: '验证器应用' }).click()
  await press(page, '移除验证器')
  await dialog(page).getByRole('button', { name: '移除验证器' }).click()
  await expect(page.locator('.toast')).toHaveText('已移除验证器')
  await page.goto(`${site.url}/user/protection/passkeys`)
  await expect(page.getByRole('button', { name: /^改名/ })).toBeVisible()
  await expect(page.getByRole('button', { name: /^移除/ })).toHaveCount(0)
})

test('D147 D171 in the grace period an operator without a second factor works and sees until when', {
  tag: '@full',
}, async ({ page, graceServer }) => {
  const site = await graceServer.site()
  await enter(page, site, await createUnprotected(site))
  await page.goto(`${site.url}/merchant/users`)
  await expect(rows(page)).toHaveCount(1)
  const day = new Date(Date.now() + (30 * 24 + 8) * 3_600_000)
  await expect(banner(page)).toContainText(
    `${day.getUTCMonth() + 1} 月 ${day.getUTCDate()} 日之后，未开启登录保护的账号将无法使用管理后台。`,
  )
  expect(await misfits(page)).toEqual([])
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await axeFaults(page)).toEqual([])
  await addAuthenticator(page)
  await banner(page).getByRole('link', { name: '开启登录保护' }).click()
  await beginWithPasskey(page, site)
  await page.goto(`${site.url}/merchant/users`)
  await expect(rows(page)).toHaveCount(1)
  await expect(banner(page)).toHaveCount(0)
})

test('D148 D172 after twelve hours the back-office asks for the factor over the page; the user centre doesn’t', {
  tag: '@full',
}, async ({ page, product }) => {
  const site = await product.site()
  const operator = await createMember(site, [], everything)
  await enter(page, site, operator)
  await page.goto(`${site.url}/merchant/users`)
  await expect(rows(page)).toHaveCount(1)
  await site.ageFactor(operator.id, 13)
  const search = page.getByLabel('搜索手机号、邮箱、用户名、昵称或编号')
  await search.fill(operator.username)
  await expect(dialog(page)).toContainText('使用管理后台需要定期验证身份')
  await page.emulateMedia({ reducedMotion: 'reduce' })
  expect(await axeFaults(page)).toEqual([])
  await totpField(page).fill(await nextCode(site))
  await expect(dialog(page)).toHaveCount(0)
  await expect(search).toHaveValue(operator.username)
  await expect(rows(page)).toHaveCount(1)
  await site.ageFactor(operator.id, 13)
  await page.goto(`${site.url}/user`)
  await expect(page.getByRole('link', { name: '电子邮箱' })).toBeVisible()
  await expect(dialog(page)).toHaveCount(0)
})

test('D149 D188 an ADMIN resets the lost factors of an operator, who enrols again with the code alone', {
  tag: '@full',
}, async ({ page, product, browser, messagesTo, codeTo }) => {
  test.slow()
  const site = await product.site()
  const lost = await createMember(site, ['email'], ['READ'])
  const own = await anotherPage(browser, page)
  await enter(own, site, lost)
  await enter(page, site, await createMember(site, [], everything))
  await page.goto(`${site.url}/merchant/users/${lost.id}`)
  await press(page, '重置登录保护')
  await page.getByLabel('原因').fill('手机丢失，已电话核实本人')
  await press(page, '重置')
  await checkByApp(page, site)
  await expect(page.getByLabel('原因')).toHaveValue('手机丢失，已电话核实本人')
  await press(page, '重置')
  const code = await dialog(page).locator('code').innerText()
  expect(code).toMatch(/^\w{4}-\w{4}-\w{4}$/)
  await press(page, '已转告本人')
  await expect(page.getByRole('heading', { name: '登录保护（未开启）' })).toBeVisible()
  await expect
    .poll(async () => (await messagesTo(lost.email ?? '')).map(({ text }) => text).join())
    .toContain('重置了登录保护')

  // Signed out everywhere. The password opens the account, the code the enrolment.
  await own.reload()
  await expect(own.getByText(/请先登录|已下线，请重新登录/)).toBeVisible()
  await addAuthenticator(own)
  await giveLoginPassword(own, site, lost)
  await expect(own).toHaveURL(`${site.url}/user`)
  await own.goto(`${site.url}/merchant`)
  await expect(required(own)).toBeVisible()
  await own.getByRole('link', { name: '开启登录保护' }).click()
  await press(own, '用通行密钥开启')
  await expect(own).toHaveURL(site.url + checkPath)
  await press(own, '发送验证码')
  await own.getByLabel('邮箱验证码').fill(await codeTo(lost.email ?? ''))
  await own.getByLabel('重置码').fill('AAAA-BBBB-CCCC')
  await dialog(own).getByRole('button', { name: '继续' }).click()
  await expect(own.getByText('重置码不正确或已过期，请核对，或请管理员重新提供')).toBeVisible()
  await own.getByLabel('重置码').fill(code)
  await dialog(own).getByRole('button', { name: '继续' }).click()
  await saveCodes(own)
  await own.goto(`${site.url}/merchant/users`)
  await expect(rows(own)).toHaveCount(2)
  await own.close()
})
