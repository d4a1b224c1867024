import type { Page } from '@playwright/test'
import { expect, freshMobile, prefer, test } from './fixtures.ts'
import { axeFaults, themedFaults } from './member.ts'
import { signIn } from './session.ts'

const agreements = { terms: 'https://a.example/t', privacy: 'https://a.example/p', version: '1' }
const open = ['/', '/login', '/nothing']
const signedIn = ['/user', '/user/device', '/user/theme']

async function faults(page: Page) {
  await expect(page.getByRole('heading').first()).toBeVisible()
  await expect(page.getByText('请耐心等待')).toBeHidden()
  return themedFaults(page)
}

test('axe finds nothing on any page, in light and dark', { tag: '@both' }, async ({ page, product }) => {
  const site = await product.site({ icp: '粤ICP备2026118204号-1' })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  for (const path of open) {
    await page.goto(site.url + path)
    expect(await faults(page), path).toEqual([])
  }
  await page.goto(`${site.url}/user`)
  await expect(page.getByText('请先登录')).toBeVisible()
  expect(await faults(page), 'signed out').toEqual([])
  await signIn(page, site)
  for (const path of signedIn) {
    await page.goto(site.url + path)
    expect(await faults(page), path).toEqual([])
  }
})

test('axe finds nothing in the states of signing in, in light and dark', async ({ page, product, codeTo }) => {
  const site = await product.site({ agreements })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.goto(`${site.url}/login`)
  const mobile = freshMobile()
  await page.getByLabel('手机号', { exact: true }).fill(mobile)
  await page.getByRole('button', { name: '发送验证码' }).click()
  const code = await codeTo(mobile)
  const field = page.getByLabel('短信验证码')
  await field.fill(code === '000000' ? '000001' : '000000')
  await expect(page.getByRole('dialog')).toBeVisible()
  expect(await faults(page), 'dialog').toEqual([])
  await page.getByRole('button', { name: '同意并继续' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  expect(await faults(page), 'error').toEqual([])
  await page.getByRole('button', { name: '密码登录' }).click()
  expect(await faults(page), 'password').toEqual([])
})

test('axe finds nothing on the loading screen and in the open drawer', async ({ page, product, isMobile }) => {
  const site = await product.site()
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.route('**/api/meta', () => {})
  await page.goto(site.url, { waitUntil: 'commit' })
  await expect(page.getByText('请耐心等待')).toBeVisible()
  expect(await axeFaults(page), 'loading').toEqual([])
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  if (!isMobile) return
  await signIn(page, site)
  await page.getByRole('button', { name: '菜单' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  expect(await faults(page)).toEqual([])
})

test('the keyboard alone reaches the content and changes the theme', async ({ page, product, isMobile }) => {
  test.skip(isMobile, 'phones have no keyboard')
  const site = await product.site()
  await signIn(page, site, '/user/theme')
  await page.reload()
  await expect(page.getByRole('heading', { name: '主题预览' })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: '跳到主要内容' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => page.evaluate(() => localStorage.getItem('device_preference'))).toContain('"dark":false')
})

test('the keyboard alone signs in', async ({ page, product, codeTo, isMobile }) => {
  test.skip(isMobile, 'phones have no keyboard')
  const site = await product.site()
  const mobile = freshMobile()
  await page.goto(`${site.url}/login`)
  const field = page.getByLabel('手机号', { exact: true })
  await expect(field).toBeVisible()
  const focused = () => field.evaluate((element) => element === document.activeElement)
  for (let tabs = 0; tabs < 10 && !(await focused()); tabs++) await page.keyboard.press('Tab')
  await page.keyboard.type(mobile)
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('短信验证码')).toBeFocused()
  await page.keyboard.type(await codeTo(mobile))
  await expect(page).toHaveURL(`${site.url}/user`)
})

test('nothing overlaps or scrolls sideways at font size 18 on 360 px', async ({ page, product }) => {
  const site = await product.site({ name: '青屿生活方式体验馆与会员服务中心' })
  await prefer(page, { fontSize: 18 })
  await page.setViewportSize({ width: 360, height: 740 })
  const width = () => page.evaluate(() => document.documentElement.scrollWidth)
  for (const path of [...open, ...signedIn]) {
    if (path === signedIn[0]) await signIn(page, site)
    await page.goto(site.url + path)
    await expect(page.getByRole('heading').first()).toBeVisible()
    await expect(page.getByText('请耐心等待')).toBeHidden()
    expect(await width(), path).toBeLessThanOrEqual(360)
  }
})
