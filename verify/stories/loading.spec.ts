import { expect, holdBack, test } from './fixtures.ts'

test('S001 S076 S077 S226 S227 the loading screen shows title and message until the meta is there', async ({
  page,
  product,
}) => {
  const { url } = await product.site()
  const release = await holdBack(page, '**/api/meta')
  await page.goto(url)
  await expect(page.getByRole('heading', { name: '青屿生活' })).toBeVisible()
  await expect(page.getByText('正在加载')).toBeVisible()
  await expect(page.getByText('请耐心等待')).toBeVisible()
  release()
  await expect(page.getByRole('heading', { name: '授权中心' })).toBeVisible()
  await expect(page.getByText('请耐心等待')).toBeHidden()
})

test('S228 S229 S230 S234 server down: the network error shows; server back: the page comes up by itself', async ({
  page,
  ownServer,
}) => {
  // Its own server begins twice.
  test.slow()
  const { url } = await ownServer.site()
  // The document itself arrives; the server dies before the meta.
  let stopped: Promise<void> | undefined
  await page.route('**/api/meta', async (route) => {
    stopped ??= ownServer.stop()
    await stopped
    await route.continue()
  })
  await page.goto(url)
  await expect(page.getByText('网络异常，请稍后再试')).toBeVisible()
  await expect(page.getByText('正在尝试重新连接…')).toBeVisible()
  await expect(page).toHaveTitle('网络异常，请稍后再试')
  await ownServer.start()
  await expect(page.getByRole('heading', { name: '授权中心' })).toBeVisible({ timeout: 15_000 })
  await expect(page).toHaveTitle('授权中心')
})

test('S231 S232 S233 S234 another error shows 服务异常 with the message of the server, and nothing is retried', {
  tag: '@full',
}, async ({ page, product }) => {
  const site = await product.site()
  await site.disable()
  let calls = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/api/meta')) calls++
  })
  await page.clock.install()
  await page.goto(site.url)
  await expect(page.getByText('服务异常')).toBeVisible()
  await expect(page.getByText('站点暂停服务')).toBeVisible()
  await expect(page).toHaveTitle('服务异常')
  await page.clock.runFor(60_000)
  expect(calls).toBe(1)
})

test('D046 a bare 503 is taken for a network error and retried', { tag: '@full' }, async ({ page, product }) => {
  const { url } = await product.site()
  let calls = 0
  await page.route('**/api/meta', (route) =>
    ++calls <= 2 ? route.fulfill({ status: 503, body: '' }) : route.continue(),
  )
  await page.goto(url)
  await expect(page.getByRole('heading', { name: '授权中心' })).toBeVisible()
  expect(calls).toBe(3)
})

test('D069 S238 after the 50th retry 重新连接 starts again', { tag: '@full' }, async ({ page, product }) => {
  const { url } = await product.site()
  await page.clock.install()
  let calls = 0
  let down = true
  await page.route('**/api/meta', (route) => {
    calls++
    return down ? route.abort() : route.continue()
  })
  await page.goto(url)
  // A retry is planned only once its failure has reached the page, so time is moved until there is one.
  const moveOn = async () => {
    await page.clock.runFor(10_000)
    return calls
  }
  await expect.poll(moveOn, { timeout: 25_000, intervals: [20] }).toBe(51)
  await expect(page.getByText('无法连接到服务器')).toBeVisible()
  expect(calls).toBe(51)
  await page.clock.runFor(60_000)
  expect(calls).toBe(51)
  down = false
  await page.getByRole('button', { name: '重新连接' }).click()
  await expect(page.getByRole('heading', { name: '授权中心' })).toBeVisible()
})
