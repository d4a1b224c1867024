import type { FrameLocator, Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { editor, press, save, write } from './config-editor.ts'
import { expect, prefer, type StorySite, test } from './fixtures.ts'
import { axeFaults, createMember, enter, misfits, themedFaults } from './member.ts'

const path = '/merchant/config'
const choose = (within: Page | Locator, name: string) => within.getByRole('radio', { name, exact: true }).check()
const frame = (page: Page) => page.locator('iframe')
const inside = (page: Page): FrameLocator => page.frameLocator('iframe')
const drawn = (page: Page) => expect(frame(page)).toHaveAttribute('data-ready', 'true', { timeout: 15_000 })

/** On phones one part is seen at a time. */
async function see(page: Page, isMobile: boolean, part: '编辑' | '预览') {
  if (isMobile) await choose(page, part)
  if (part === '预览') await drawn(page)
}

/** An operator on the page, who has written nothing yet. */
async function open(page: Page, site: StorySite, rights = ['READ', 'WRITE', 'ADMIN']) {
  await site.save({ name: '青屿生活' })
  await enter(page, site, await createMember(site, [], rights))
  await page.goto(site.url + path)
  await expect(page.locator('.json-host .cm-content')).toBeVisible()
}

/** Of the button that goes on, as it is painted. */
const fillOf = (page: Page) =>
  inside(page)
    .locator('html')
    .evaluate((root) => root.style.getPropertyValue('--brand'))

test('what is typed shows on the real pages before it is saved, and nowhere else', async ({
  page,
  product,
  isMobile,
}) => {
  const site = await product.site()
  await open(page, site)
  await see(page, isMobile, '预览')
  await expect(inside(page).locator('.who')).toContainText('青屿生活')
  await expect(inside(page).getByRole('heading', { name: '手机号登录', includeHidden: true })).toBeVisible()
  await see(page, isMobile, '编辑')
  await write(page, { name: '白鹭书屋', theme: { primary: '#0f766e' }, methods: ['password'] })
  await see(page, isMobile, '预览')
  await expect(inside(page).locator('.who')).toContainText('白鹭书屋')
  await expect(inside(page).getByRole('heading', { name: '密码登录', includeHidden: true })).toBeVisible()
  expect(await fillOf(page)).toBe('#0f766e')
  await choose(page, '用户中心')
  await drawn(page)
  await expect(inside(page).locator('.profile')).toContainText('林知夏')
  expect(await page.evaluate(() => document.documentElement.style.getPropertyValue('--brand'))).toBe('#5374fa')
  const shownName = await page.evaluate(async () => {
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    return (await (await fetch('/api/meta', request)).json()).data.name
  })
  expect(shownName).toBe('青屿生活')
})

test('a text that could not be saved leaves the last good preview, and a line says so', { tag: '@full' }, async ({
  page,
  product,
  isMobile,
}) => {
  const site = await product.site()
  await open(page, site)
  await see(page, isMobile, '预览')
  for (const wrong of ['{ "name": "白鹭', { name: '白鹭', theme: { primary: 'blue' } }]) {
    await see(page, isMobile, '编辑')
    await write(page, wrong)
    await see(page, isMobile, '预览')
    await expect(page.getByText('当前内容有误，预览为最近一次正确的内容')).toBeVisible()
    await expect(inside(page).locator('.who')).toContainText('青屿生活')
  }
  await see(page, isMobile, '编辑')
  await write(page, { name: '白鹭书屋' })
  await see(page, isMobile, '预览')
  await expect(inside(page).locator('.who')).toContainText('白鹭书屋')
  await expect(page.getByText('当前内容有误')).toBeHidden()
})

test('the preview calls no server, stores nothing, leads nowhere and leaves the focus where it is', async ({
  page,
  product,
  isMobile,
}) => {
  test.skip(isMobile, 'only beside the editor')
  const site = await product.site()
  await prefer(page, { dark: false, fontSize: 16 })
  await open(page, site)
  // The operator came in by password, which is none of these.
  await site.save({ name: '青屿生活', methods: ['wechat', 'mobile'] })
  const kept = () => page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
  const before = await kept()
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.frame() !== page.mainFrame()) asked.push(new URL(request.url()).pathname)
  })
  await page.reload()
  await drawn(page)
  await expect(inside(page).locator('.qr')).toBeVisible()
  await editor(page).click()
  const agreements = { terms: 'https://a.example/t', privacy: 'https://a.example/p', version: '1' }
  for (const option of ['深色', '电脑', '用户中心', '手机', '登录页', '用户中心']) {
    await choose(page, option)
    await drawn(page)
  }
  await write(page, { name: '白鹭书屋', agreements })
  await expect(inside(page).locator('dialog[open]')).toContainText('同意并继续')
  await page.keyboard.type(' ')
  await expect(editor(page)).toBeFocused()
  await inside(page).locator('dialog[open] .btn').first().click({ force: true })
  await inside(page).locator('a[href="/user/onlineDevices"]').click({ force: true })
  await page.waitForTimeout(700)
  expect(page.frames().map((each) => new URL(each.url()).pathname)).toEqual([path, '/merchant/preview'])
  expect(asked.filter((each) => each.startsWith('/api/'))).toEqual([])
  expect(await kept()).toBe(before)
  expect(await page.evaluate(() => document.documentElement.classList.contains('dark'))).toBe(false)
})

test('a picture of the brand shows in the preview at once, and on the sign-in page once saved', async ({
  page,
  product,
  isMobile,
}) => {
  const site = await product.site()
  await open(page, site)
  const picture = (colour: string, width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: colour } })
      .png()
      .toBuffer()
  const upload = async (slot: string, buffer: Buffer, mimeType = 'image/png') => {
    await page.locator(`input[type=file][aria-label="${slot}"]`).setInputFiles({ name: 'a.png', mimeType, buffer })
  }
  await press(page, '品牌图片')
  await upload('方形图标', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml')
  await expect(page.getByText('请选择 JPEG、PNG 或 WebP 格式的图片')).toBeVisible()
  await upload('方形图标', await picture('#e60012', 300, 300))
  await expect(page.getByRole('button', { name: '更换方形图标' })).toBeVisible()
  await upload('背景', await picture('#123456', 1600, 900))
  await upload('竖屏背景', await picture('#123456', 900, 1600))
  await expect(page.getByRole('button', { name: '更换竖屏背景' })).toBeVisible()
  await expect(page.getByRole('button', { name: '更换背景' })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  await press(page, '完成')
  await see(page, isMobile, '预览')
  const icon = inside(page).locator('img.logo')
  await expect(icon).toHaveAttribute('src', /^\/api\/site\/picture\?id=/)
  expect(await icon.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0)
  const previewed = (await icon.getAttribute('src')) ?? ''
  await see(page, isMobile, '编辑')
  await save(page)
  const visitor = await page.context().browser()?.newContext()
  const real = await visitor?.newPage()
  if (!real) throw new Error('no browser')
  // Of several processes the others see a change within about a second.
  await expect(async () => {
    await real.goto(`${site.url}/login`)
    await expect(real.locator('img.logo')).toHaveAttribute('src', previewed, { timeout: 1_500 })
  }).toPass({ timeout: 15_000 })
  expect(await real.locator('img.logo').evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(300)
  await expect(real.locator('.picture')).toHaveAttribute('style', /api\/site\/picture/)
  await see(page, isMobile, '编辑')
  await press(page, '品牌图片')
  await press(page, '移除方形图标')
  await press(page, '完成')
  await see(page, isMobile, '预览')
  await expect(inside(page).locator('.logo.tile')).toHaveText('青')
  await expect(real.locator('img.logo')).toBeVisible()
})

test('enlarged it stands at its own size on whole pixels where there is room, else as large as fits', async ({
  page,
  product,
  isMobile,
}) => {
  test.skip(isMobile, 'for wide screens')
  const site = await product.site()
  await open(page, site)
  await drawn(page)
  await page.setViewportSize({ width: 1403, height: 951 })
  await press(page, '放大')
  const large = page.getByRole('dialog', { name: '实时预览' })
  const box = async () => {
    await drawn(page)
    return await frame(page).evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect()
      return [x, y, width, height, getComputedStyle(element).transform]
    })
  }
  expect(await box()).toEqual([expect.any(Number), expect.any(Number), 390, 844, 'none'])
  expect((await box()).slice(0, 2).every((at) => Number.isInteger(at))).toBe(true)
  await expect(large.getByTitle('登录页预览')).toBeVisible()
  await choose(large, '电脑')
  await choose(large, '用户中心')
  expect(await box()).toEqual([expect.any(Number), expect.any(Number), 1280, 800, 'none'])
  expect((await box()).slice(0, 2).every((at) => Number.isInteger(at))).toBe(true)
  await expect(large.getByTitle('用户中心预览')).toBeVisible()
  await page.setViewportSize({ width: 900, height: 700 })
  await expect.poll(async () => Number((await box())[2])).toBeLessThanOrEqual(900)
  await page.keyboard.press('Escape')
  await expect(large).toBeHidden()
  await drawn(page)
})

test('who may only read sees the preview and can hand over no picture', { tag: '@full' }, async ({
  page,
  product,
  isMobile,
}) => {
  const site = await product.site()
  await open(page, site, ['READ'])
  await page.getByRole('button', { name: '品牌图片' }).click({ force: true })
  await expect(page.locator('.toast')).toHaveText('没有权限执行此操作')
  await see(page, isMobile, '预览')
  await expect(inside(page).locator('.who')).toContainText('青屿生活')
})

test('opened by itself the preview says where it belongs', async ({ page, product }) => {
  const site = await product.site()
  await page.goto(`${site.url}/merchant/preview`)
  await expect(page.getByText('请在管理后台的「配置」中查看')).toBeVisible()
})

test('axe finds nothing beside the preview, in light and dark', async ({ page, product, isMobile }) => {
  const site = await product.site()
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await open(page, site)
  await see(page, isMobile, '预览')
  expect(await themedFaults(page), 'beside the editor').toEqual([])
  await press(page, '放大')
  await drawn(page)
  expect(await themedFaults(page), 'enlarged').toEqual([])
})

test('nothing is cut or too small for a finger at font size 18 on 360 px', { tag: '@both' }, async ({
  page,
  product,
  isMobile,
}) => {
  test.skip(!isMobile, 'for phones')
  const site = await product.site()
  await prefer(page, { fontSize: 18 })
  await page.setViewportSize({ width: 360, height: 740 })
  await open(page, site)
  await see(page, isMobile, '预览')
  expect(await misfits(page)).toEqual([])
  await see(page, isMobile, '编辑')
  await press(page, '品牌图片')
  await expect(page.getByText('竖屏背景', { exact: true })).toBeVisible()
  expect(await misfits(page)).toEqual([])
})
