import { expect, holdBack, prefer, test } from './fixtures.ts'
import { signIn } from './session.ts'

test('S021 S022 S023 home shows a visitor that they are not signed in and leads to sign-in', async ({
  page,
  product,
}) => {
  const { url } = await product.site()
  await page.goto(url)
  await expect(page).toHaveTitle('授权中心')
  await expect(page.getByText('未登录')).toBeVisible()
  await page.getByRole('link', { name: '立即登录' }).click()
  await expect(page).toHaveURL(`${url}/login`)
})

test('S044 S045 S046 S047 S048 S049 S050 S051 the device page shows what the page knows of the device', async ({
  page,
  product,
}) => {
  const site = await product.site()
  await prefer(page, { dark: true, fontSize: 16 })
  await signIn(page, site, '/user/device')
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 }
  const value = (label: string) => page.locator('dt', { hasText: label }).locator('xpath=following-sibling::dd[1]')
  await expect(value('页面宽度')).toHaveText(`${width} 像素`)
  await expect(value('页面高度')).toHaveText(`${height} 像素`)
  await expect(value('字体大小')).toHaveText('16 像素')
  await expect(value('深色模式')).toHaveText('已开启')
  await expect(value('用户代理')).toHaveText(await page.evaluate(() => navigator.userAgent))
  await expect(value('在微信中打开')).toHaveText('否')
  await expect(value('全面屏 iPhone')).toHaveText('否')
  await expect(value('竖屏')).toHaveText(width < height ? '是' : '否')
  await page.setViewportSize({ width: 844, height: 390 })
  await expect(value('页面宽度')).toHaveText('844 像素')
  await expect(value('竖屏')).toHaveText('否')
})

test.describe('inside WeChat on an iPhone', () => {
  test.use({
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 MicroMessenger/8.0.50',
  })
  test('S049 S050 the flags are true', async ({ page, product, isMobile }) => {
    const site = await product.site()
    await signIn(page, site, '/user/device')
    const value = (label: string) => page.locator('dt', { hasText: label }).locator('xpath=following-sibling::dd[1]')
    await expect(value('在微信中打开')).toHaveText('是')
    await expect(value('全面屏 iPhone')).toHaveText(isMobile ? '是' : '否')
  })
})

test('S052 S053 S054 S055 S056 S057 S058 the theme page shows every part', async ({ page, product }) => {
  const site = await product.site()
  await signIn(page, site, '/user/theme')
  const modes = page.getByRole('radiogroup', { name: '深色模式' })
  for (const name of ['跟随系统', '浅色', '深色'])
    await expect(modes.getByRole('radio', { name, exact: true })).toBeVisible()
  await expect(page.locator('.swatches li')).toHaveCount(10)
  await expect(page.getByRole('button', { name: '主要操作' })).toBeVisible()
  await expect(page.getByText('请确认是您本人操作')).toBeVisible()
  await page.getByRole('button', { name: '成功提示' }).click()
  await expect(page.getByRole('status').filter({ hasText: '修改成功' })).toBeVisible()
  await expect(page.getByRole('progressbar', { name: '加载中' })).toBeVisible()
  await expect(page.getByLabel('内容加载中')).toBeVisible()
})

test('S205 S206 S208 S209 S239 S247 S249 a preference acts at once, is stored and survives a reload', async ({
  page,
  product,
}) => {
  const site = await product.site()
  await signIn(page, site, '/user/theme')
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const stored = () => page.evaluate(() => JSON.parse(localStorage.getItem('device_preference') ?? 'null'))
  const size = () => page.evaluate(() => getComputedStyle(document.documentElement).fontSize)
  expect(await ground()).toBe('rgb(243, 244, 247)')
  expect(await size()).toBe('14px')

  await page.getByRole('radiogroup', { name: '深色模式' }).getByRole('radio', { name: '深色', exact: true }).check()
  await page.getByRole('radiogroup', { name: '字体大小' }).getByRole('radio', { name: '特大', exact: true }).check()
  await expect.poll(ground).toBe('rgb(13, 14, 17)')
  expect(await size()).toBe('18px')
  expect(await stored()).toEqual({ dark: true, fontSize: 18 })

  await page.reload()
  expect(await ground()).toBe('rgb(13, 14, 17)')
  expect(await size()).toBe('18px')
  await page.getByRole('radiogroup', { name: '深色模式' }).getByRole('radio', { name: '跟随系统', exact: true }).check()
  await page.getByRole('radiogroup', { name: '字体大小' }).getByRole('radio', { name: '标准', exact: true }).check()
  expect(await stored()).toEqual({})
  await expect.poll(size).toBe('14px')
})

test('S240 without a preference the page follows the system, also while it is open', async ({ page, product }) => {
  const site = await product.site()
  await page.emulateMedia({ colorScheme: 'dark' })
  await signIn(page, site, '/user/theme')
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  expect(await ground()).toBe('rgb(13, 14, 17)')
  await page.emulateMedia({ colorScheme: 'light' })
  await expect.poll(ground).toBe('rgb(243, 244, 247)')
})

test('S067 S068 S069 S071 S072 S073 the navigation: a bar with a drawer in portrait, links on top otherwise', {
  tag: '@both',
}, async ({ page, product, isMobile }) => {
  const site = await product.site({ site: 'https://www.qingyu.example/' })
  await signIn(page, site, '/user/theme')
  if (isMobile) {
    await page.getByRole('button', { name: '菜单' }).click()
    const drawer = page.getByRole('dialog', { name: '菜单' })
    await expect(drawer).toBeVisible()
    await expect.poll(async () => (await drawer.boundingBox())?.width).toBeCloseTo(390 * 0.8, 0)
    await expect.poll(async () => (await drawer.boundingBox())?.x).toBe(0)
  }
  const nav = page.getByRole('navigation', { name: '主导航' }).filter({ visible: true })
  await expect(nav.getByRole('link', { name: '首页' })).toHaveAttribute('href', 'https://www.qingyu.example/')
  await expect(nav.getByRole('link', { name: '用户中心' })).toHaveAttribute('href', '/user')
  await expect(nav.getByRole('link', { name: '意见反馈' })).toHaveAttribute('href', '/user/feedback')
  await expect(nav.getByRole('link', { name: '管理后台' })).toHaveCount(0)
  if (isMobile) {
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toBeHidden()
    await expect(page.getByRole('button', { name: '菜单' })).toBeFocused()
  }
})

test('S072 a menu that was opened before its page is there stays open, and gives the focus back', async ({
  page,
  product,
  isMobile,
}) => {
  test.skip(!isMobile, 'there is no menu to open')
  const site = await product.site()
  await signIn(page, site, '/user/theme')
  const release = await holdBack(page, '**/api/user/info')
  await page.reload()
  await page.getByRole('button', { name: '菜单' }).click()
  const drawer = page.getByRole('dialog', { name: '菜单' })
  await expect(drawer).toBeVisible()
  release()
  await expect(page.getByText('骨架屏')).toBeVisible()
  await expect(drawer).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(drawer).toBeHidden()
  await expect(page.getByRole('button', { name: '菜单' })).toBeFocused()
  await page.getByRole('button', { name: '菜单' }).click()
  await drawer.getByRole('link', { name: '用户中心' }).click()
  await expect(page).toHaveURL(`${site.url}/user`)
  await expect(drawer).toBeHidden()
  // On the way to a page whose file is still to come, and back from it.
  const arrive = await holdBack(page, '**/assets/security-page*.js')
  await page.locator('a[href="/user/security"]').click()
  await page.getByRole('button', { name: '菜单' }).click()
  await expect(drawer).toBeVisible()
  arrive()
  await expect(page.getByRole('heading', { name: '安全记录', includeHidden: true })).toBeVisible()
  await expect(drawer).toBeVisible()
  await page.goBack()
  await expect(drawer).toBeHidden()
})

test('S074 S075 S251 the navigation leaves its near-top state at scroll 10', async ({ page, product }) => {
  const site = await product.site()
  await signIn(page, site, '/user/theme')
  // Until the page is there, there is nothing to scroll.
  await expect(page.getByText('骨架屏')).toBeVisible()
  const header = page.locator('header[data-near-top]')
  await expect(header).toHaveAttribute('data-near-top', 'true')
  for (const [scroll, near] of [
    [9, 'true'],
    [10, 'false'],
    [0, 'true'],
  ] as const) {
    await page.evaluate((y) => window.scrollTo(0, y), scroll)
    await expect(header).toHaveAttribute('data-near-top', near)
  }
})

test('an unknown address shows a page that leads home', async ({ page, product }) => {
  const { url } = await product.site()
  const answer = await page.goto(`${url}/nothing/here`)
  expect(answer?.status()).toBe(404)
  await expect(page.getByRole('heading', { name: '页面不存在' })).toBeVisible()
  await page.getByRole('link', { name: '返回首页' }).click()
  await expect(page).toHaveURL(`${url}/`)
})

test('a change of page inside the browser is reported once, the first document is not', async ({ page, product }) => {
  const { url } = await product.site()
  const visits: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/page/visit')) visits.push(new URL(page.url()).pathname)
  })
  await page.goto(`${url}/nothing`)
  await page.getByRole('link', { name: '返回首页' }).click()
  await expect(page).toHaveTitle('授权中心')
  await expect.poll(() => visits).toEqual(['/'])
})
