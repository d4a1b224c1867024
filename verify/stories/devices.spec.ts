import type { Page } from '@playwright/test'
import { expect, freshMobile, prefer, type StorySite, test } from './fixtures.ts'
import { themedFaults } from './member.ts'
import { giveSession } from './session.ts'

const windows =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0'

interface User {
  id: string
}

const newUser = async (site: StorySite): Promise<User> => ({
  id: await site.createUser({ username: `u${freshMobile()}`, mobile: freshMobile() }),
})

async function logIn(page: Page, site: StorySite, { id }: User, path = '/user/onlineDevices') {
  await giveSession(page, site, id)
  await page.goto(site.url + path)
  await expect(page.locator('#main')).toBeVisible()
}

/** So many other browsers, of which only the sessions exist. */
async function otherBrowsers(site: StorySite, { id }: User, count: number) {
  for (let made = 0; made < count; made++)
    await site.beginSession(id, { method: 'password', userAgent: windows, mark: `other-${made}` })
}

const cards = (page: Page) => page.locator('li.device')
const removeButton = (page: Page) => page.getByRole('button', { name: /^下线 / })
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })
const seen = (page: Page, words: string) => page.getByText(words).filter({ visible: true }).first()

test('S336 D061 a visitor is asked to sign in, in place', async ({ page, product }) => {
  const site = await product.site()
  await page.goto(`${site.url}/user/onlineDevices`)
  await expect(seen(page, '请先登录')).toBeVisible()
  await expect(page.getByRole('link', { name: '立即登录' })).toHaveAttribute('href', '/login/%2Fuser%2FonlineDevices')
})

test('S032 S370 the list: this device first and marked, browser and system, address and time', async ({
  page,
  product,
}) => {
  const site = await product.site()
  const user = await newUser(site)
  await logIn(page, site, user)
  await otherBrowsers(site, user, 2)
  await page.reload()
  await expect(cards(page)).toHaveCount(3)
  await expect(seen(page, '您的账号正在 3 台设备上登录。')).toBeVisible()
  await expect(cards(page).first()).toContainText('本机')
  await expect(cards(page).first()).toContainText('正在使用')
  await expect(cards(page).nth(1)).toContainText('Microsoft Edge 141')
  await expect(cards(page).nth(1)).toContainText('Windows')
  await expect(cards(page).nth(1)).toContainText('127.0.0.1')
  await expect(cards(page).nth(1)).toContainText(/刚刚|分钟前/)
  await expect(page.getByText('本机', { exact: true })).toHaveCount(1)
})

test('S186 S187 D034 a page holds 5 under width 768 and 10 otherwise', { tag: '@both' }, async ({
  page,
  product,
  isMobile,
}) => {
  const site = await product.site()
  const user = await newUser(site)
  await otherBrowsers(site, user, 10)
  await logIn(page, site, user)
  await expect(cards(page)).toHaveCount(isMobile ? 5 : 10)
  await expect(page.locator('.pager span')).toHaveText(isMobile ? '1 / 3' : '1 / 2')
  await expect(page.getByRole('button', { name: '上一页' })).toBeDisabled()
  await page.getByRole('button', { name: '下一页' }).click()
  if (isMobile) await page.getByRole('button', { name: '下一页' }).click()
  await expect(cards(page)).toHaveCount(1)
  await expect(page.getByRole('button', { name: '下一页' })).toBeDisabled()
  // The last one of the last page: the page before it is shown.
  await removeButton(page).click()
  await inDialog(page, '下线').click()
  await expect(page.locator('.toast', { hasText: '该设备已下线' })).toBeVisible()
  await expect(cards(page)).toHaveCount(isMobile ? 5 : 10)
  await expect(seen(page, '您的账号正在 10 台设备上登录。')).toBeVisible()
  await page.reload()
  await expect(cards(page)).toHaveCount(isMobile ? 5 : 10)
})

test('S371 D035 D057 a device is removed here; there its page says so in place at the next call', {
  tag: '@full',
}, async ({ page, product, browser }) => {
  const site = await product.site()
  const user = await newUser(site)
  const there = await browser.newPage({ userAgent: windows })
  await withoutStream(there)
  await logIn(there, site, user, '/user')
  await logIn(page, site, user)
  await expect(cards(page)).toHaveCount(2)
  await removeButton(page).last().click()
  await inDialog(page, '取消').click()
  await expect(cards(page)).toHaveCount(2)
  await removeButton(page).last().click()
  await expect(page.getByRole('dialog')).toContainText('将退出登录')
  await inDialog(page, '下线').click()
  await expect(cards(page)).toHaveCount(1)
  await expect(page.getByRole('button', { name: '退出其他设备' })).toBeDisabled()

  await there.getByRole('button', { name: '修改昵称' }).click()
  await there.getByLabel('昵称', { exact: true }).fill('还在')
  await there.keyboard.press('Enter')
  await expect(seen(there, '已下线，请重新登录')).toBeVisible()
  await expect(there).toHaveURL(`${site.url}/user`)
  await there.reload()
  await expect(seen(there, '已下线，请重新登录')).toBeVisible()
  await there.getByRole('link', { name: '立即登录' }).click()
  await expect(there).toHaveURL(`${site.url}/login/%2Fuser`)
  await there.close()
})

/** A browser without an event stream, as behind some proxies. */
const withoutStream = (page: Page) => page.route('**/api/events', (route) => route.abort())

test('D035 a removed browser is also notified when its tab becomes visible again', { tag: '@full' }, async ({
  page,
  product,
  browser,
}) => {
  const site = await product.site()
  const user = await newUser(site)
  const context = await browser.newContext({ userAgent: windows })
  const there = await context.newPage()
  await withoutStream(there)
  await logIn(there, site, user, '/user')
  await logIn(page, site, user)
  await page.getByRole('button', { name: '退出其他设备' }).click()
  await inDialog(page, '退出其他设备').click()
  await expect(cards(page)).toHaveCount(1)
  await there.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
  await expect(seen(there, '已下线，请重新登录')).toBeVisible()
  await context.close()
})

test('D035 a removed browser is notified at once over its stream', async ({ page, product, browser }) => {
  const site = await product.site()
  const user = await newUser(site)
  const there = await browser.newPage({ userAgent: windows })
  const opened = there.waitForResponse('**/api/events')
  await logIn(there, site, user, '/user')
  await opened
  await logIn(page, site, user)
  await page.getByRole('button', { name: '退出其他设备' }).click()
  await inDialog(page, '退出其他设备').click()
  await expect(seen(there, '已下线，请重新登录')).toBeVisible()
  await there.close()
})

test('S372 D035 退出其他设备 ends all but this one', { tag: '@full' }, async ({ page, product }) => {
  const site = await product.site()
  const user = await newUser(site)
  await otherBrowsers(site, user, 3)
  await logIn(page, site, user)
  await expect(cards(page)).toHaveCount(4)
  await page.getByRole('button', { name: '退出其他设备' }).click()
  await expect(inDialog(page, '取消')).toBeFocused()
  await inDialog(page, '退出其他设备').click()
  await expect(page.locator('.toast', { hasText: '其他设备均已退出登录' })).toBeVisible()
  await expect(cards(page)).toHaveCount(1)
  await expect(cards(page)).toContainText('本机')
  await page.reload()
  await expect(cards(page)).toHaveCount(1)
})

test('D057 removing this device is signing out', { tag: '@full' }, async ({ page, product }) => {
  const site = await product.site()
  const user = await newUser(site)
  await otherBrowsers(site, user, 1)
  await logIn(page, site, user)
  await removeButton(page).first().click()
  await expect(page.getByRole('dialog')).toContainText('您将在这台设备上退出登录')
  await inDialog(page, '下线').click()
  await expect(page).toHaveURL(`${site.url}/`)
  await expect(page.locator('.toast', { hasText: '已退出登录' })).toBeVisible()
  await expect(seen(page, '未登录')).toBeVisible()
  await page.goto(`${site.url}/user`)
  await expect(seen(page, '请先登录')).toBeVisible()
})

test('loading and failure have their own look', { tag: '@full' }, async ({ page, product }) => {
  const site = await product.site()
  const user = await newUser(site)
  await logIn(page, site, user, '/user/device')
  let answer: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/token/list', async (route) => {
    await held
    await route.abort()
  })
  await page.goto(`${site.url}/user/onlineDevices`)
  await expect(page.getByLabel('正在加载登录设备')).toBeVisible()
  answer()
  await expect(seen(page, '网络异常，请稍后再试')).toBeVisible()
  await page.unroute('**/token/list')
  await page.getByRole('button', { name: '重试' }).click()
  await expect(cards(page)).toHaveCount(1)
})

test('the keyboard alone removes a device', async ({ page, product, isMobile }) => {
  test.skip(isMobile, 'phones have no keyboard')
  const site = await product.site()
  const user = await newUser(site)
  await otherBrowsers(site, user, 1)
  await logIn(page, site, user)
  const remove = removeButton(page).last()
  await expect(cards(page)).toHaveCount(2)
  const focused = () => remove.evaluate((element) => element === document.activeElement)
  for (let tabs = 0; tabs < 20 && !(await focused()); tabs++) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(inDialog(page, '取消')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(remove).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(cards(page)).toHaveCount(1)
  await expect(page.getByRole('list', { name: '登录设备列表' })).toBeFocused()
})

test('axe finds nothing, and nothing is cut at font size 18 on 360 px, in light and dark', async ({
  page,
  product,
}) => {
  const site = await product.site()
  const user = await newUser(site)
  await otherBrowsers(site, user, 6)
  await prefer(page, { fontSize: 18 })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 360, height: 740 })
  await logIn(page, site, user)
  await expect(cards(page)).toHaveCount(5)
  expect(await themedFaults(page), 'list').toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  for (const button of await removeButton(page).all()) {
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  }
  await removeButton(page).last().click()
  expect(await themedFaults(page), 'dialog').toEqual([])
})
