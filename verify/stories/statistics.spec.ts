import type { Locator, Page } from '@playwright/test'
import { expect, prefer, type StorySite, signInByCode, test } from './fixtures.ts'
import { createMember, enterByPassword, misfits, themedFaults } from './member.ts'

const path = '/merchant/statistics'

/** An operator who looks at the figures. */
async function look(page: Page, site: StorySite, rights = ['READ']) {
  await enterByPassword(page, site, await createMember(site, [], rights))
  await page.goto(site.url + path)
}

const card = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true })
const figure = (page: Page, title: string, name: string) =>
  card(page, title).locator('dl > div').filter({ hasText: name }).locator('b')
const plot = (page: Page) => page.getByRole('slider', { name: /曲线/ })
const tip = (page: Page) => page.locator('.tip')
const choose = (page: Page, title: string, window: string) =>
  card(page, title).getByRole('radio', { name: window, exact: true }).check({ force: true })

async function boxOf(place: Locator) {
  const box = await place.boundingBox()
  if (!box) throw new Error('it is not on the page')
  return box
}

/** Where in the plot, from left to right. */
async function placeAt(page: Page, share: number) {
  await plot(page).scrollIntoViewIfNeeded()
  const { x, y, width, height } = await boxOf(plot(page))
  return [x + width * share, y + height / 2] as const
}

/** By finger on a phone, by mouse elsewhere. */
async function pointAt(page: Page, share: number, isMobile: boolean) {
  const place = await placeAt(page, share)
  if (isMobile) await page.touchscreen.tap(...place)
  else await page.mouse.move(...place)
}

async function expectTipInside(page: Page) {
  const inner = await boxOf(tip(page))
  const outer = await boxOf(card(page, '趋势'))
  expect(inner.x).toBeGreaterThanOrEqual(outer.x)
  expect(inner.y).toBeGreaterThanOrEqual(outer.y)
  expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width)
  expect(inner.y + inner.height).toBeLessThanOrEqual(outer.y + outer.height)
}

test('S064 S163 S164 S165 S166 S167 S168 S169 S170 S171 the figures change within seconds of a sign-in', {
  tag: '@full',
}, async ({ page, product, browser, codeTo }) => {
  test.slow()
  const site = await product.site()
  await look(page, site)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('用户统计')
  await expect(card(page, '总计').locator('b')).toHaveText('1')
  const titles = ['近24小时统计', '近7天统计', '近30天统计']
  const moving = { timeout: 15_000 }
  for (const title of titles) await expect(figure(page, title, '授权用户')).toHaveText('1', moving)
  await signInByCode(await (await browser.newContext()).newPage(), site, codeTo)
  for (const title of titles) {
    await expect(figure(page, title, '授权用户')).toHaveText('2', moving)
    await expect(figure(page, title, '访问用户')).toHaveText('2')
    await expect(figure(page, title, '授权次数')).toHaveText('2')
    await expect(figure(page, title, '页面访问')).not.toHaveText('0')
    await expect(figure(page, title, 'API 调用')).not.toHaveText('0')
    await expect(card(page, title).locator('.change')).toHaveText(Array(5).fill(/无可比数据/))
  }
  await expect(card(page, '总计').locator('b')).toHaveText('2')
  await expect(card(page, '总计')).toContainText('近 24 小时新增+2')
  await expect(card(page, '登录转化').locator('.funnel').first().locator('b')).toHaveText(['1', '1', '1'])
  await expect(card(page, '今日短信').locator('b')).toHaveText('1')
  await expect(page.locator('.fresh')).toHaveText(/^数据截至 \d\d:\d\d，每 5 秒更新$/)
})

test('the curve: a tip by mouse, finger and keys; other figures and windows', { tag: '@both' }, async ({
  page,
  product,
  isMobile,
}) => {
  const site = await product.site()
  await look(page, site)
  await expect(page.locator('.moment').first()).toBeAttached()
  await expect(tip(page)).toHaveCount(0)
  await pointAt(page, 0.99, isMobile)
  await expect(tip(page)).toContainText(/\d+ 月 \d+ 日 \d\d:00–\d\d:00访问用户1前一日0/, { timeout: 15_000 })
  await expectTipInside(page)
  await pointAt(page, 0.02, isMobile)
  await expect(tip(page)).toContainText('访问用户0前一日0')
  await expectTipInside(page)
  await page.locator('h1').first().click()
  await page.mouse.move(0, 0)
  await expect(tip(page)).toHaveCount(0)
  await page.getByLabel('指标').selectOption('授权次数')
  await choose(page, '趋势', '7 天')
  await expect(page.locator('.legend')).toHaveText('近 7 天前 7 天')
  await expect(page.getByRole('table', { name: '近 7 天授权次数' }).getByRole('row')).toHaveCount(8)
  await plot(page).focus()
  await expect(tip(page)).toContainText(/\d+ 月 \d+ 日授权次数1前 7 天0/)
  await page.keyboard.press('ArrowLeft')
  await expect(tip(page)).toContainText('授权次数0')
  await expect(plot(page)).toHaveAttribute('aria-valuenow', '6')
  await page.keyboard.press('Escape')
  await expect(tip(page)).toHaveCount(0)
})

test('S415 what the server says is shown for 5 s, once; the last figures stay and come back by themselves', {
  tag: '@full',
}, async ({ page, product }) => {
  test.slow()
  const site = await product.site()
  await look(page, site)
  await expect(card(page, '总计').locator('b')).toHaveText('1')
  const refusal = { status: 503, json: { code: 'SERVICE_BUSY', message: '服务繁忙，请稍后再试' } }
  let refused = 0
  await page.route('**/api/merchant/user/*', (route) => {
    refused++
    return route.fulfill(refusal)
  })
  await expect(page.locator('.toast')).toHaveText('服务繁忙，请稍后再试')
  const shownAt = Date.now()
  await expect(page.locator('.fresh')).toContainText('更新中断，正在重试')
  await expect(card(page, '总计').locator('b')).toHaveText('1')
  await expect(page.locator('.toast')).toHaveCount(0)
  expect(Date.now() - shownAt).toBeGreaterThan(4_000)
  const before = refused
  await expect.poll(() => refused, { timeout: 20_000 }).toBeGreaterThan(before)
  await expect(page.locator('.toast')).toHaveCount(0)
  await page.unroute('**/api/merchant/user/*')
  await expect(page.locator('.fresh')).toContainText('每 5 秒更新')
})

test('S343 a visitor is asked to sign in, and who has no right sees 无权限访问 and asks nothing', {
  tag: '@full',
}, async ({ page, product }) => {
  const site = await product.site()
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('/api/merchant/') && asked.push(request.url()))
  await page.goto(site.url + path)
  await expect(page.getByText('请先登录').filter({ visible: true }).first()).toBeVisible()
  await look(page, site, [])
  await expect(page.getByText('无权限访问').first()).toBeVisible()
  expect(asked).toEqual([])
})

test('accessible and fitting, in light and dark', { tag: '@both' }, async ({ page, product, isMobile }) => {
  const site = await product.site()
  await look(page, site)
  await expect(page.locator('.moment').first()).toBeAttached()
  await expect(card(page, '总计').locator('b')).toHaveText('1')
  await pointAt(page, 0.5, isMobile)
  await expect(tip(page)).toBeVisible()
  expect(await themedFaults(page)).toEqual([])
  if (isMobile) expect(await misfits(page)).toEqual([])
})

test('at the largest font on the narrowest phone nothing is cut, and the tip stays in its card', {
  tag: '@both',
}, async ({ page, product, isMobile }) => {
  const site = await product.site()
  await prefer(page, { fontSize: 18 })
  await page.setViewportSize({ width: 360, height: 740 })
  await look(page, site)
  await expect(page.locator('.moment').first()).toBeAttached()
  expect(await misfits(page)).toEqual([])
  for (const share of [0.01, 0.3, 0.5, 0.7, 0.99]) {
    await pointAt(page, share, isMobile)
    await expect(tip(page)).toBeVisible()
    await expectTipInside(page)
  }
  const cut = await page
    .locator('main .card dd, main .card dt, main .funnel b, main .seg span')
    .evaluateAll((all) =>
      all
        .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)
        .map((each) => each.outerHTML),
    )
  expect(cut).toEqual([])
})
