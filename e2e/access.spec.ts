import AxeBuilder from '@axe-core/playwright'
import { expect, prefer, test } from './product.ts'

const screens = ['/', '/user/device', '/user/theme', '/nothing']

for (const dark of [false, true]) {
  for (const path of screens) {
    test(`axe finds nothing on ${path} in ${dark ? 'dark' : 'light'}`, async ({ page, product }) => {
      const { url } = await product.site({
        icp: '粤ICP备2026118204号-1',
        agreements: { terms: 'https://a.example/t', privacy: 'https://a.example/p', version: '1' },
      })
      await prefer(page, { dark })
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await page.goto(url + path)
      await expect(page.getByRole('heading').first()).toBeVisible()
      await expect(page.getByText('请耐心等待')).toBeHidden()
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)).toEqual([])
    })
  }
}

test('axe finds nothing on the loading screen and in the open drawer', async ({ page, product, isMobile }) => {
  const { url } = await product.site()
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.route('**/api/meta', () => {})
  await page.goto(url, { waitUntil: 'commit' })
  await expect(page.getByText('请耐心等待')).toBeVisible()
  const loading = await new AxeBuilder({ page }).analyze()
  expect(loading.violations.map(({ id }) => id)).toEqual([])
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  if (!isMobile) return
  await page.goto(`${url}/user/theme`)
  await page.getByRole('button', { name: '菜单' }).click()
  await expect(page.getByRole('dialog')).toBeVisible()
  const drawer = await new AxeBuilder({ page }).analyze()
  expect(drawer.violations.map(({ id }) => id)).toEqual([])
})

test('the keyboard alone reaches the content and changes the theme', async ({ page, product, isMobile }) => {
  test.skip(isMobile, 'phones have no keyboard')
  const { url } = await product.site()
  await page.goto(`${url}/user/theme`)
  await expect(page.getByRole('heading', { name: '主题预览' })).toBeVisible()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: '跳到主要内容' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowRight')
  await expect.poll(() => page.evaluate(() => localStorage.getItem('device_preference'))).toContain('"dark":false')
})

test('nothing overlaps or scrolls sideways at font size 18 on 360 px', async ({ page, product }) => {
  const { url } = await product.site({ name: '青屿生活方式体验馆与会员服务中心' })
  await prefer(page, { fontSize: 18 })
  await page.setViewportSize({ width: 360, height: 740 })
  for (const path of screens) {
    await page.goto(url + path)
    await expect(page.getByRole('heading').first()).toBeVisible()
    await expect(page.getByText('请耐心等待')).toBeHidden()
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(360)
  }
})
