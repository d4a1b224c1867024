import { expect, prefer, test } from './fixtures.ts'

test('S002 S003 S004 D001 two sites on one server differ by host: name, logos, colour', async ({ page, product }) => {
  const red = await product.site({ name: '红杉书店', theme: { primary: '#e60012' }, logoIcon: '/icon-180.png' })
  const green = await product.site({ name: '青禾茶铺', theme: { primary: '#07c160' }, logoImage: '/icon-512.png' })
  const brand = () => page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--brand'))

  await page.goto(red.url)
  await expect(page.getByText('红杉书店').filter({ visible: true }).first()).toBeVisible()
  await expect(page.locator('img[src="/icon-180.png"]').filter({ visible: true }).first()).toBeVisible()
  expect(await brand()).toBe('#e60012')

  await page.goto(green.url)
  await expect(page.getByRole('img', { name: '青禾茶铺' }).filter({ visible: true }).first()).toHaveAttribute(
    'src',
    '/icon-512.png',
  )
  expect(await brand()).toBe('#07c160')
})

test('S435 without a configured colour the primary is #5374fa', async ({ page, product }) => {
  const { url } = await product.site()
  await page.goto(url)
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--brand'))).toBe(
    '#5374fa',
  )
})

test('an unknown host is refused with a sentence', { tag: '@full' }, async ({ page, product }) => {
  const { url } = await product.site()
  const answer = await page.goto(url.replace('//s', '//unknown'))
  expect(answer?.status()).toBe(404)
  await expect(page.getByText('站点不存在，请检查访问的地址')).toBeVisible()
})

for (const dark of [true, false]) {
  test(`no flash: the first paint has the preferred ${dark ? 'dark' : 'light'} ground and the colour of the site`, async ({
    page,
    product,
  }) => {
    const { url } = await product.site({ name: '红杉书店', theme: { primary: '#e60012' } })
    await prefer(page, { dark, fontSize: 18 })
    // Everything but the document, the blocking script and the stylesheet is held back: this is all the first paint has.
    await page.route(/assets\/(?!boot-).*\.js$/, () => {})
    await page.goto(url, { waitUntil: 'commit' })
    await expect(page.getByRole('heading', { name: '红杉书店' })).toBeVisible()
    const seen = await page.evaluate(() => {
      const root = getComputedStyle(document.documentElement)
      return {
        ground: getComputedStyle(document.body).backgroundColor,
        brand: root.getPropertyValue('--brand'),
        size: root.fontSize,
        scheme: root.colorScheme,
      }
    })
    expect(seen).toEqual({
      ground: dark ? 'rgb(13, 14, 17)' : 'rgb(243, 244, 247)',
      brand: '#e60012',
      size: '18px',
      scheme: dark ? 'dark' : 'light',
    })
    const picture = await page.screenshot({ clip: { x: 2, y: 2, width: 1, height: 1 } })
    const [red = 0] = await page.evaluate(
      async (bytes) => {
        const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: 'image/png' }))
        const context = new OffscreenCanvas(1, 1).getContext('2d')
        context?.drawImage(bitmap, 0, 0)
        return [...(context?.getImageData(0, 0, 1, 1).data ?? [])]
      },
      [...picture],
    )
    expect(dark ? red < 40 : red > 225).toBe(true)
  })
}

test('a logo that does not load leaves a tile with the first character of the name', async ({ page, product }) => {
  const { url } = await product.site({ logoIcon: '/none.png' })
  await page.goto(url)
  await expect(page.getByRole('heading', { name: '授权中心' })).toBeVisible()
  await expect(page.getByText('青', { exact: true }).filter({ visible: true }).first()).toBeVisible()
})
