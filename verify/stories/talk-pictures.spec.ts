import { picturesMost } from '@hufu/contract/feedback-rules'
import { pictureRules } from '@hufu/contract/picture-rules'
import type { Browser, Page } from '@playwright/test'
import sharp from 'sharp'
import { type StorySite, expect as soon, test } from './fixtures.ts'
import { createMember, enter, misfits, themedFaults } from './member.ts'

// The server decodes pictures in a process with low priority.
const expect = soon.configure({ timeout: 20_000 })
test.describe.configure({ timeout: 90_000 })

/** Signed in in a browser of their own. */
async function openSignedIn(browser: Browser, site: StorySite, rights: string[] = []): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await enter(page, site, await createMember(site, [], rights))
  return page
}

const input = (page: Page) => page.getByLabel('反馈内容')
const toast = (page: Page) => page.locator('.toast')
const talk = (page: Page) => page.getByRole('log', { name: '沟通记录' })
const tiles = (page: Page) => talk(page).locator('.said-pictures button')
const thumbs = (page: Page) => page.locator('.thumb')
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

const colours = ['#5374fa', '#07c160', '#e60012', '#f5a623', '#8b5cf6', '#14b8a6', '#64748b']
const picture = (number: number, width = 320, height = 240) =>
  sharp({ create: { width, height, channels: 3, background: colours[number] ?? '#000000' } })
    .png()
    .toBuffer()
const file = (buffer: Buffer, mimeType = 'image/png', name = 'a.png') => ({ name, mimeType, buffer })

async function choose(page: Page, many: number) {
  const buffers = await Promise.all(Array.from({ length: many }, (_, at) => picture(at)))
  await page.locator('input[type=file]').setInputFiles(buffers.map((buffer) => file(buffer)))
}
const allUp = async (page: Page, many: number) => {
  await expect(thumbs(page)).toHaveCount(many)
  await expect(page.locator('.thumb progress')).toHaveCount(0)
}

/** What a user sees: drawn, not just there. */
const drawn = (page: Page) =>
  tiles(page)
    .locator('img')
    .evaluateAll((all: HTMLImageElement[]) => all.map((each) => [each.naturalWidth, each.naturalHeight]))

async function begin(page: Page, site: StorySite) {
  await page.goto(`${site.url}/user/feedback`)
  await input(page).fill('页面显示不对')
  await press(page, '发送')
  await expect(page).toHaveURL(/\/user\/feedback\/[0-9a-f-]{36}$/)
  await expect(talk(page).getByText('页面显示不对')).toBeVisible()
  return page.url().split('/').at(-1) ?? ''
}

async function bothSides(browser: Browser, site: StorySite) {
  const [user, operator] = await Promise.all([
    openSignedIn(browser, site),
    openSignedIn(browser, site, ['READ', 'WRITE']),
  ])
  const id = await begin(user, site)
  await operator.goto(`${site.url}/merchant/feedback/${id}`)
  await expect(operator.getByLabel('回复内容')).toBeVisible()
  return { user, operator, id }
}

/** The call alone, as the page would make it. */
const sendFromPage = (page: Page, body: string) =>
  page.evaluate(async (text) => {
    const headers = { 'content-type': 'application/json' }
    await fetch('/api/user/feedback/send', { method: 'POST', headers, body: text })
  }, body)

/** A finger across the screen. */
async function swipeLeft(page: Page) {
  const touch = await page.context().newCDPSession(page)
  const move = (type: 'touchStart' | 'touchMove', x: number) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints: [{ x, y: 400 }] })
  await move('touchStart', 330)
  for (let x = 310; x >= 70; x -= 20) await move('touchMove', x)
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
}

const forgetLoose = (site: StorySite) =>
  site.query('DELETE FROM feedback_picture WHERE site_id = $1 AND feedback_id IS NULL', [])

test('pictures with words and without, both ways, each side seeing them as they come', async ({ browser, product }) => {
  const { user, operator } = await bothSides(browser, await product.site())
  await choose(user, 2)
  await press(user, '发送')
  await expect(toast(user)).toHaveText('发送成功')
  await expect(thumbs(user)).toHaveCount(0)
  for (const page of [user, operator]) {
    await expect(tiles(page)).toHaveCount(2)
    await expect(talk(page).locator('.bubble')).toHaveText(['页面显示不对'])
    await expect.poll(() => drawn(page)).toEqual(Array(2).fill([320, 240]))
  }
  await expect(user.locator('.history .item-words')).toHaveText('[图片]')
  await choose(operator, 1)
  await operator.getByLabel('回复内容').fill('请看这里')
  await press(operator, '发送')
  await expect(tiles(user)).toHaveCount(3)
  await expect(talk(user).locator('.bubble')).toHaveText(['页面显示不对', '请看这里'])
  await expect.poll(() => drawn(user)).toEqual(Array(3).fill([320, 240]))
})

test('a new conversation may be nothing but pictures', { tag: '@full' }, async ({ browser, product }) => {
  const site = await product.site()
  const user = await openSignedIn(browser, site)
  await user.goto(`${site.url}/user/feedback`)
  await press(user, '发送')
  await expect(user).toHaveURL(/\/user\/feedback$/)
  await choose(user, 1)
  await press(user, '发送')
  await expect(user).toHaveURL(/\/user\/feedback\/[0-9a-f-]{36}$/)
  await expect(tiles(user)).toHaveCount(1)
  await expect(talk(user).locator('.bubble')).toHaveCount(0)
  await expect(talk(user).getByRole('img', { name: '图片 1/1' })).toBeVisible()
})

test('six at most; a seventh, another kind of file and a broken one are refused in a sentence', {
  tag: '@full',
}, async ({ browser, product }) => {
  const site = await product.site()
  const user = await openSignedIn(browser, site)
  await begin(user, site)
  const error = user.locator('.compose .error')
  await choose(user, picturesMost + 1)
  await allUp(user, picturesMost)
  await expect(error).toHaveText('每条消息最多 6 张图片，多出的未添加')
  await press(user, '移除图片 6')
  await expect(error).toHaveCount(0)
  await allUp(user, 5)
  const chooser = user.locator('input[type=file]')
  await chooser.setInputFiles(file(Buffer.from('GIF89a'), 'image/gif', 'a.gif'))
  await expect(error).toHaveText('仅支持 JPG、PNG、WebP 格式的图片')
  await chooser.setInputFiles(file(Buffer.from('no picture at all'), 'image/png'))
  await expect(error).toHaveText('无法读取该图片，请换一张')
  await allUp(user, 5)
  await press(user, '发送')
  await expect(tiles(user)).toHaveCount(5)
})

test('a photo larger than the server takes is drawn smaller first, the right way up', async ({ browser, product }) => {
  const site = await product.site()
  const user = await openSignedIn(browser, site)
  await begin(user, site)
  const photo = test.info().outputPath('photo.jpg')
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 }
  const grain = sharp({ create: { width: 1_175, height: 875, channels: 3, background: '#888888', noise } })
  // As a phone held upright stores it: rotated, with an EXIF orientation.
  const { size } = await sharp(await grain.png().toBuffer())
    .resize(4_700, 3_500, { kernel: 'nearest' })
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 90 })
    .toFile(photo)
  expect(size).toBeGreaterThan(pictureRules.bytes)
  const upload = user.waitForRequest('**/api/user/feedback/picture')
  await user.locator('input[type=file]').setInputFiles(photo)
  expect((await (await upload).sizes()).requestBodySize).toBeLessThan(pictureRules.bytes + 1_000)
  await allUp(user, 1)
  await press(user, '发送')
  await expect(tiles(user)).toHaveCount(1)
  await expect.poll(() => drawn(user)).toEqual([[1_600, 2_149]])
})

test('a picture is pasted, and dropped; words stay words', async ({ browser, product }) => {
  const site = await product.site()
  const user = await openSignedIn(browser, site)
  await begin(user, site)
  await user.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.url })
  const copied = [...(await picture(1))]
  await user.evaluate(async (bytes) => {
    const blob = new Blob([new Uint8Array(bytes)], { type: 'image/png' })
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })])
  }, copied)
  await input(user).press('Control+V')
  await allUp(user, 1)
  await user.evaluate(() => navigator.clipboard.writeText('只是文字'))
  await input(user).press('Control+V')
  await expect(input(user)).toHaveValue('只是文字')
  const carried = await user.evaluateHandle((bytes) => {
    const data = new DataTransfer()
    data.items.add(new File([new Uint8Array(bytes)], 'b.png', { type: 'image/png' }))
    return data
  }, copied)
  const form = user.locator('form.compose')
  await form.dispatchEvent('dragover', { dataTransfer: carried })
  await expect(user.getByText('松开鼠标，添加图片')).toBeVisible()
  await form.dispatchEvent('drop', { dataTransfer: carried })
  await expect(user.getByText('松开鼠标，添加图片')).toHaveCount(0)
  await allUp(user, 2)
  await press(user, '发送')
  await expect(tiles(user)).toHaveCount(2)
})

test('sending waits for what is still on its way up; what failed can be tried again', { tag: '@full' }, async ({
  browser,
  product,
}) => {
  const site = await product.site()
  const user = await openSignedIn(browser, site)
  await begin(user, site)
  const { promise, resolve } = Promise.withResolvers<void>()
  await user.route('**/api/user/feedback/picture', async (route) => {
    await promise
    await route.continue()
  })
  await choose(user, 1)
  await expect(user.getByRole('progressbar', { name: '图片 1 上传中' })).toBeVisible()
  await press(user, '发送')
  await expect(user.getByRole('button', { name: '发送', exact: true })).toHaveAttribute('aria-busy', 'true')
  resolve()
  await expect(tiles(user)).toHaveCount(1)
  await user.unroute('**/api/user/feedback/picture')
  await user.route('**/api/user/feedback/picture', (route) => route.abort())
  await choose(user, 1)
  await expect(user.locator('.compose .error')).toHaveText('网络异常，请稍后再试')
  await user.unroute('**/api/user/feedback/picture')
  await press(user, '重新上传图片 1')
  await allUp(user, 1)
  await press(user, '发送')
  await expect(tiles(user)).toHaveCount(2)
})

test('D044 after a lost answer and a reload they are still there, and are sent once', { tag: '@full' }, async ({
  browser,
  product,
}) => {
  const site = await product.site()
  const user = await openSignedIn(browser, site)
  await begin(user, site)
  let tries = 0
  await user.route('**/feedback/send', async (route) => {
    tries += 1
    if (tries > 1) return await route.continue()
    // The server gets it, the page never receives the response.
    await sendFromPage(user, route.request().postData() ?? '')
    await route.abort()
  })
  await choose(user, 2)
  await allUp(user, 2)
  await press(user, '发送')
  await expect(toast(user)).toHaveText('网络异常，请稍后再试')
  await user.reload()
  await allUp(user, 2)
  await press(user, '发送')
  await expect(toast(user)).toHaveText('发送成功')
  await expect(thumbs(user)).toHaveCount(0)
  // The page's call, ours in its place, and the page's again.
  expect(tries).toBe(3)
  await expect(tiles(user)).toHaveCount(2)
})

test('those that the server has dropped go up again by themselves; after a reload it is said', {
  tag: '@full',
}, async ({ browser, product }) => {
  const site = await product.site()
  const user = await openSignedIn(browser, site)
  await begin(user, site)
  await choose(user, 2)
  await allUp(user, 2)
  await forgetLoose(site)
  await press(user, '发送')
  await expect(toast(user)).toHaveText('发送成功')
  await expect(tiles(user)).toHaveCount(2)
  await choose(user, 1)
  await allUp(user, 1)
  await forgetLoose(site)
  // What the browser itself has kept of it doesn't help to send it.
  await user.reload()
  await expect(thumbs(user)).toHaveCount(1)
  await press(user, '发送')
  await expect(user.locator('.compose .error')).toHaveText('图片已失效，请移除后重新选择')
  await press(user, '移除图片 1')
  await expect(thumbs(user)).toHaveCount(0)
  await expect(tiles(user)).toHaveCount(2)
})

test('the viewer: swiped or moved by keys, closed by Esc, by its button and by going back', { tag: '@both' }, async ({
  browser,
  product,
  isMobile,
}) => {
  const site = await product.site()
  const user = await openSignedIn(browser, site)
  await begin(user, site)
  await choose(user, 3)
  await press(user, '发送')
  await expect(tiles(user)).toHaveCount(3)
  const address = user.url()
  const viewer = user.getByRole('dialog', { name: '查看图片' })
  const current = () => viewer.locator('.viewer-slide:not([inert]) img')
  await tiles(user).nth(1).click()
  await expect(viewer.getByText('图片 2/3')).toBeVisible()
  await expect(current()).toBeInViewport({ ratio: 1 })
  await user.keyboard.press('ArrowRight')
  await expect(viewer.getByText('图片 3/3')).toBeVisible()
  await expect(current()).toBeInViewport({ ratio: 1 })
  await user.keyboard.press('Escape')
  await expect(viewer).toHaveCount(0)
  await expect(tiles(user).nth(1)).toBeFocused()
  await tiles(user).first().click()
  await expect(viewer.getByText('图片 1/3')).toBeVisible()
  if (isMobile) await swipeLeft(user)
  else await press(user, '下一张')
  await expect(viewer.getByText('图片 2/3')).toBeVisible()
  await expect(current()).toBeInViewport({ ratio: 1 })
  await user.goBack()
  await expect(viewer).toHaveCount(0)
  expect(user.url()).toBe(address)
  await expect(input(user)).toBeVisible()
  await tiles(user).first().click()
  await press(user, '关闭')
  await expect(viewer).toHaveCount(0)
  expect(user.url()).toBe(address)
})

test('a picture that doesn’t come leaves its room, says so, and comes when asked again', { tag: '@full' }, async ({
  browser,
  product,
}) => {
  const site = await product.site()
  const user = await openSignedIn(browser, site)
  const operator = await openSignedIn(browser, site, ['READ'])
  const id = await begin(user, site)
  await choose(user, 1)
  await press(user, '发送')
  await expect(tiles(user)).toHaveCount(1)
  await operator.route('**/api/feedback/picture?*', (route) => route.abort())
  await operator.goto(`${site.url}/merchant/feedback/${id}`)
  await expect(operator.getByRole('img', { name: '图片加载失败' })).toBeVisible()
  const room = await tiles(operator).boundingBox()
  await tiles(operator).click()
  const viewer = operator.getByRole('dialog', { name: '查看图片' })
  await expect(viewer.getByText('图片加载失败')).toBeVisible()
  await operator.unroute('**/api/feedback/picture?*')
  await viewer.getByRole('button', { name: '重试' }).click()
  await expect(viewer.getByRole('img', { name: '图片 1/1' })).toBeVisible()
  await operator.keyboard.press('Escape')
  await operator.reload()
  await expect.poll(() => drawn(operator)).toEqual([[320, 240]])
  expect((await tiles(operator).boundingBox())?.height).toBe(room?.height)
})

test('rating: there as soon as it is closed, by keys alone, changed later, seen by the operator', async ({
  browser,
  product,
}) => {
  const { user, operator } = await bothSides(browser, await product.site())
  await operator.getByLabel('回复内容').fill('已处理')
  await press(operator, '发送')
  await expect(operator.getByText('问题是否已解决？')).toBeVisible()
  await press(operator, '已解决')
  await press(user, '已解决')
  const stars = user.getByRole('radiogroup', { name: '评分' })
  await expect(stars).toBeVisible()
  await expect(user.locator('.ask').getByRole('link', { name: '新的反馈' })).toBeVisible()
  await stars.getByRole('radio', { name: '1 星，很不满意' }).focus()
  await user.keyboard.press('Space')
  for (let step = 0; step < 3; step += 1) await user.keyboard.press('ArrowRight')
  await expect(stars.getByRole('radio', { name: '4 星，满意' })).toBeChecked()
  await user.getByLabel('补充说明（选填）').fill('回复很快')
  await press(user, '提交评价')
  await expect(toast(user)).toHaveText('感谢您的评价')
  await expect(user.getByRole('img', { name: '4 星，满意' })).toBeVisible()
  await expect(operator.getByRole('img', { name: '4 星，满意' }).first()).toBeVisible()
  await expect(operator.getByText('回复很快')).toBeVisible()
  await user.reload()
  await expect(user.getByText('回复很快')).toBeVisible()
  await press(user, '修改评价')
  await stars.getByRole('radio', { name: '5 星，非常满意' }).check({ force: true })
  await press(user, '提交评价')
  await expect(user.getByRole('img', { name: '5 星，非常满意' })).toBeVisible()
  await expect(operator.getByRole('img', { name: '5 星，非常满意' }).first()).toBeVisible()
})

test('pictures, viewer and rating are free of faults and fit at every size, in light and dark', async ({
  browser,
  product,
}) => {
  const site = await product.site()
  const user = await openSignedIn(browser, site)
  const id = await begin(user, site)
  for (const many of [1, 2, 6]) {
    await choose(user, many)
    await press(user, '发送')
    await expect(thumbs(user)).toHaveCount(0)
  }
  await choose(user, 6)
  await allUp(user, 6)
  const fits = async () => {
    await expect.poll(() => misfits(user)).toEqual([])
    // A change of theme sets the size of letters anew.
    expect(await themedFaults(user)).toEqual([])
  }
  const smallest = async () => {
    await user.setViewportSize({ width: 360, height: 740 })
    await user.evaluate(() => {
      document.documentElement.style.fontSize = '18px'
    })
    await fits()
  }
  const viewport = user.viewportSize()
  await fits()
  await smallest()
  await tiles(user).last().click()
  await expect(user.getByRole('dialog', { name: '查看图片' })).toBeVisible()
  await fits()
  await user.keyboard.press('Escape')
  await site.query('UPDATE feedback SET status = 4 WHERE site_id = $1 AND id = $2', [id])
  if (viewport) await user.setViewportSize(viewport)
  await user.reload()
  await user.getByRole('radio', { name: '3 星，一般' }).check({ force: true })
  await fits()
  await smallest()
  await press(user, '提交评价')
  await expect(user.getByRole('button', { name: '修改评价' })).toBeVisible()
  await fits()
})
