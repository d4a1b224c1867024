import type { Locator, Page } from '@playwright/test'
import sharp from 'sharp'
import { expect, freshMobile, prefer, type StorySite, signInByCode, test } from './fixtures.ts'
import { themedFaults } from './member.ts'
import { giveSession, signIn } from './session.ts'

/** A picture with a colour in each quarter, so that the kept part can be recognised. */
async function quarters(width: number, height: number) {
  const half = { width: Math.ceil(width / 2), height: Math.ceil(height / 2), channels: 3 as const }
  const tile = (background: string) =>
    sharp({ create: { ...half, background } })
      .png()
      .toBuffer()
  const [red, green, blue] = await Promise.all(['#ff0000', '#00ff00', '#0000ff'].map(tile))
  const places = [
    { input: red, left: 0, top: 0 },
    { input: green, left: Math.floor(width / 2), top: 0 },
    { input: blue, left: 0, top: Math.floor(height / 2) },
  ]
  return sharp({ create: { width, height, channels: 3, background: '#ffffff' } }).composite(places)
}

const chooseFile = (page: Page, buffer: Buffer, mimeType = 'image/jpeg', name = 'me.jpg') =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer })
const cropDialog = (page: Page) => page.getByRole('dialog', { name: '裁剪头像' })
const confirm = (page: Page) => page.getByRole('button', { name: '确定' })
const toast = (page: Page, words: string) => page.locator('.toast', { hasText: words })
const avatar = (page: Page) => page.locator('.profile .avatar')

/** The colours of the shown picture, at parts of its sides. */
async function coloursIn(page: Page, points: [number, number][]) {
  const source = await avatar(page).locator('img').getAttribute('src')
  const { type, bytes } = await page.evaluate(async (address) => {
    const answer = await fetch(address ?? '')
    return { type: answer.headers.get('content-type'), bytes: [...new Uint8Array(await answer.arrayBuffer())] }
  }, source)
  expect(type).toBe('image/webp')
  const { data, info } = await sharp(Buffer.from(bytes)).raw().toBuffer({ resolveWithObject: true })
  expect([info.width, info.height]).toEqual([512, 512])
  return points.map(([x, y]) => {
    const at = (Math.floor(y * 511) * info.width + Math.floor(x * 511)) * info.channels
    const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3)
    if (red > 200 && green > 200 && blue > 200) return 'white'
    return red > 200 ? 'red' : green > 200 ? 'green' : blue > 200 ? 'blue' : `${red},${green},${blue}`
  })
}

const corners: [number, number][] = [
  [0.1, 0.1],
  [0.9, 0.1],
  [0.1, 0.9],
  [0.9, 0.9],
]

/** Presses Tab until the control has the focus. */
async function tabTo(page: Page, control: Locator) {
  const focused = () => control.evaluate((element) => element === document.activeElement)
  for (let tabs = 0; tabs < 30 && !(await focused()); tabs++) await page.keyboard.press('Tab')
  await expect(control).toBeFocused()
}

test('S024 S025 S026 S027 S028 S029 S030 the user centre: head, rows, settings, this device, sign-out', async ({
  page,
  product,
}) => {
  const site = await product.site()
  const mobile = await signIn(page, site)
  await expect(avatar(page)).toHaveText(mobile.slice(0, 1))
  await expect(page.locator('.profile h2')).toHaveText(`${mobile.slice(0, 3)}****${mobile.slice(-4)}`)
  const rows: [string, string, string][] = [
    ['手机号', `${mobile.slice(0, 3)}****${mobile.slice(-4)}`, '/user/changeMobile'],
    ['登录密码', '未设置', '/user/changePassword'],
    ['电子邮箱', '未设置', '/user/changeEmail'],
    ['用户名', '未设置', '/user/changeUsername'],
    ['登录保护', '未开启', '/user/protection'],
    ['登录设备', '1 台', '/user/onlineDevices'],
  ]
  const account = page.getByRole('region', { name: '账号与安全' })
  for (const [name, value, href] of rows) {
    const row = account.getByRole('link', { name })
    await expect(row).toHaveAttribute('href', href)
    await expect(row).toContainText(value)
  }
  const settings = page.getByRole('region', { name: '通用设置' })
  await expect(settings.getByRole('radiogroup', { name: '深色模式' }).getByRole('radio')).toHaveCount(3)
  await expect(settings.getByRole('radiogroup', { name: '字体大小' }).getByRole('radio')).toHaveCount(4)
  await page.getByRole('link', { name: '关于本机' }).click()
  await expect(page).toHaveURL(`${site.url}/user/device`)
  await page.goBack()
  await page.getByRole('button', { name: '退出登录' }).click()
  await expect(page).toHaveURL(`${site.url}/`)
  await expect(toast(page, '已退出登录')).toBeVisible()
})

test('S381 the nickname is edited in place, follows its rules, and survives a reload', { tag: '@full' }, async ({
  page,
  product,
}) => {
  const site = await product.site()
  await signIn(page, site)
  const name = page.locator('.profile h2')
  const edit = page.getByRole('button', { name: '修改昵称' })
  const field = page.getByLabel('昵称', { exact: true })
  await edit.click()
  await expect(field).toBeFocused()
  await expect(field).toHaveAttribute('placeholder', '请输入昵称')
  for (const wrong of ['', '   ', '一'.repeat(21)]) {
    await field.fill(wrong)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toHaveText('昵称须为1-20个字符')
  }
  await field.fill('  林知夏  ')
  await expect(page.getByRole('alert')).toHaveCount(0)
  await page.keyboard.press('Enter')
  await expect(toast(page, '修改成功')).toBeVisible()
  await expect(name).toHaveText('林知夏')
  await expect(edit).toBeFocused()
  await edit.click()
  await field.fill('不要了')
  await page.keyboard.press('Escape')
  await expect(name).toHaveText('林知夏')
  await edit.click()
  await field.fill('🐯'.repeat(20))
  await page.getByRole('button', { name: '保存' }).click()
  await expect(name).toHaveText('🐯'.repeat(20))
  await page.reload()
  await expect(name).toHaveText('🐯'.repeat(20))
})

test('S315 S316 name and placeholder fall back to the messaging app’s nickname', { tag: '@full' }, async ({
  page,
  product,
}) => {
  const site = await product.site()
  const mobile = freshMobile()
  const id = await site.createUser({ mobile })
  await site.query("UPDATE users SET wechat_nickname = '夏天的风' WHERE site_id = $1 AND id = $2", [id])
  await giveSession(page, site, id, { method: 'mobile' })
  await page.goto(`${site.url}/user`)
  await expect(page.locator('.profile h2')).toHaveText('夏天的风')
  await page.getByRole('button', { name: '修改昵称' }).click()
  await expect(page.getByLabel('昵称', { exact: true })).toHaveAttribute('placeholder', '夏天的风')
})

test('S024 S380 S382 D039 a picture is cropped, sent and shown everywhere at once', { tag: '@both' }, async ({
  page,
  product,
  isMobile,
}) => {
  const site = await product.site()
  await signIn(page, site)
  await chooseFile(page, await (await quarters(800, 400)).jpeg().toBuffer())
  await expect(cropDialog(page)).toBeVisible()
  await confirm(page).click()
  await expect(toast(page, '修改成功')).toBeVisible()
  await expect(cropDialog(page)).toBeHidden()
  expect(await coloursIn(page, corners)).toEqual(['red', 'green', 'blue', 'white'])
  if (isMobile) await page.getByRole('button', { name: '菜单' }).click()
  const small = page.locator(isMobile ? '.drawer .avatar img' : '.nav .avatar img')
  await expect(small).toHaveAttribute('src', /^\/api\/avatar\?id=.+&t=\d+$/)
  await expect.poll(() => small.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(512)
  await page.reload()
  await expect(avatar(page).locator('img')).toBeVisible()
})

test('a photo of a phone: larger than the server takes, and lying on its side', async ({ page, product }) => {
  // Sixteen megapixels are drawn, read and turned beside two other stories.
  test.slow()
  const site = await product.site()
  await signIn(page, site)
  const photo = await (await quarters(4608, 3456))
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
    .toBuffer()
  // Bytes after the end of a picture are harmless, but count.
  await chooseFile(page, Buffer.concat([photo, Buffer.alloc(8 * 1024 * 1024)]))
  await expect(cropDialog(page)).toBeVisible({ timeout: 20_000 })
  await confirm(page).click()
  await expect(toast(page, '修改成功')).toBeVisible({ timeout: 20_000 })
  // Turned a quarter to the right: what was below left is on top left.
  expect(await coloursIn(page, corners)).toEqual(['blue', 'red', 'white', 'green'])
})

test('cropping by dragging, by the wheel, by the slider and by keys', { tag: '@both' }, async ({
  page,
  product,
  isMobile,
}) => {
  const site = await product.site()
  await signIn(page, site)
  await chooseFile(page, await (await quarters(800, 400)).png().toBuffer(), 'image/png', 'me.png')
  const stage = page.getByRole('application')
  const slider = page.getByRole('slider', { name: '缩放' })
  await expect(stage).toBeFocused()
  const box = await stage.boundingBox()
  if (!box) throw new Error('no stage')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  // To the right as far as it goes: the left half remains.
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + box.width * 3, y, { steps: 4 })
  await page.mouse.up()
  if (!isMobile) {
    await page.mouse.move(x, y)
    await page.mouse.wheel(0, -400)
    await expect.poll(async () => Number(await slider.inputValue())).toBeGreaterThan(1.5)
    await page.mouse.wheel(0, 2_000)
    await expect(slider).toHaveValue('1')
  }
  await stage.focus()
  for (let presses = 0; presses < 3; presses++) await page.keyboard.press('+')
  expect(Number(await slider.inputValue())).toBeGreaterThan(1.3)
  for (let presses = 0; presses < 40; presses++) await page.keyboard.press('ArrowDown')
  await confirm(page).click()
  await expect(toast(page, '修改成功')).toBeVisible()
  expect((await coloursIn(page, corners))[0]).toBe('red')
})

test('two fingers zoom', async ({ page, product, isMobile }) => {
  test.skip(!isMobile, 'for fingers')
  const site = await product.site()
  await signIn(page, site)
  await chooseFile(page, await (await quarters(400, 400)).png().toBuffer(), 'image/png', 'me.png')
  const box = await page.getByRole('application').boundingBox()
  if (!box) throw new Error('no stage')
  const y = box.y + box.height / 2
  const fingers = (apart: number) => [
    { x: box.x + box.width / 2 - apart, y, id: 0 },
    { x: box.x + box.width / 2 + apart, y, id: 1 },
  ]
  const session = await page.context().newCDPSession(page)
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', apart?: number) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: apart === undefined ? [] : fingers(apart) })
  await touch('touchStart', 30)
  for (const apart of [40, 60, 90]) await touch('touchMove', apart)
  await touch('touchEnd')
  await expect.poll(async () => Number(await page.getByRole('slider', { name: '缩放' }).inputValue())).toBeCloseTo(3, 0)
})

test('what is no picture is refused with a sentence, and nothing is sent', { tag: '@full' }, async ({
  page,
  product,
}) => {
  const site = await product.site()
  await signIn(page, site)
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url()))
  const input = page.locator('input[type=file]')
  await expect(input).toHaveAttribute('accept', 'image/jpeg,image/png,image/webp')
  await chooseFile(page, Buffer.from('只是文字，改了名字'))
  await expect(page.getByRole('alert')).toHaveText('无法打开该图片，请选择 JPEG、PNG 或 WebP 格式的图片')
  await chooseFile(page, Buffer.from('GIF89a'), 'image/gif', 'me.gif')
  await expect(page.getByRole('alert')).toBeVisible()
  await expect(cropDialog(page)).toBeHidden()
  expect(sent.filter((url) => url.includes('changeAvatar'))).toEqual([])
  await chooseFile(page, await (await quarters(64, 64)).webp().toBuffer(), 'image/webp', 'me.webp')
  await expect(page.getByRole('alert')).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(cropDialog(page)).toBeHidden()
  await expect(page.getByRole('button', { name: '更换头像' })).toBeVisible()
})

test('a slow upload shows how far it is; a broken one can be tried again; cancelling calls it off', async ({
  page,
  product,
}) => {
  const site = await product.site()
  await signIn(page, site)
  const noise = await sharp({
    create: {
      width: 900,
      height: 900,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .png()
    .toBuffer()
  await chooseFile(page, noise, 'image/png', 'me.png')
  await page.route('**/changeAvatar', (route) => route.abort())
  await confirm(page).click()
  await expect(page.getByRole('alert')).toHaveText('网络异常，请稍后再试')
  await page.unroute('**/changeAvatar')
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  const speed = (uploadThroughput: number) =>
    session.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    })
  await speed(40_000)
  await page.getByRole('button', { name: '重试' }).click()
  const bar = page.getByRole('progressbar', { name: '正在上传' })
  await expect(bar).toBeVisible()
  await expect(page.getByText(/正在上传 [1-9]\d?%/)).toBeVisible()
  await page.getByRole('button', { name: '取消' }).click()
  await expect(cropDialog(page)).toBeHidden()
  await speed(-1)
  await page.reload()
  await expect(avatar(page).locator('img')).toHaveCount(0)
  await chooseFile(page, noise, 'image/png', 'me.png')
  await confirm(page).click()
  await expect(avatar(page).locator('img')).toBeVisible()
})

async function byPassword(page: Page, site: StorySite, { username, password }: { username: string; password: string }) {
  await page.goto(`${site.url}/login`)
  await page.getByRole('button', { name: '密码登录' }).click()
  await page.getByLabel('账号', { exact: true }).fill(username)
  await page.getByLabel('密码', { exact: true }).fill(password)
  await page.getByRole('button', { name: '登录', exact: true }).click()
  await expect(page).toHaveURL(`${site.url}/user`)
}

const look = (page: Page) =>
  page.evaluate(() => ({
    dark: document.documentElement.classList.contains('dark'),
    size: getComputedStyle(document.documentElement).fontSize,
    stored: localStorage.getItem('device_preference'),
  }))
const pick = (page: Page, group: string, name: string) =>
  page.getByRole('radiogroup', { name: group }).getByRole('radio', { name, exact: true }).check()

test('S200 S379 D062 a preference goes with the user to another device, which is as before after sign-out', {
  tag: '@full',
}, async ({ page, product, browser }) => {
  const site = await product.site()
  const account = { username: `u${freshMobile()}`, password: 'Qy#2026autumn' }
  await site.createUser(account)
  await byPassword(page, site, account)
  const saved = () => page.waitForResponse('**/api/user/preference')
  await Promise.all([saved(), pick(page, '深色模式', '深色')])
  await Promise.all([saved(), pick(page, '字体大小', '特大')])
  expect(await look(page)).toMatchObject({ dark: true, size: '18px' })

  const other = await browser.newPage()
  await byPassword(other, site, account)
  await expect.poll(() => look(other)).toEqual({ dark: true, size: '18px', stored: null })
  await other.reload()
  await expect.poll(() => look(other)).toEqual({ dark: true, size: '18px', stored: null })
  // What the account unsets, the next device learns too.
  await Promise.all([saved(), pick(page, '深色模式', '跟随系统')])
  await other.reload()
  await expect.poll(() => look(other)).toMatchObject({ dark: false, size: '18px' })
  await other.getByRole('button', { name: '退出登录' }).click()
  await expect(other).toHaveURL(`${site.url}/`)
  await expect.poll(() => look(other)).toEqual({ dark: false, size: '14px', stored: null })
  await other.close()
})

test('D062 what was set on this device wins and is sent up once at sign-in', { tag: '@full' }, async ({
  page,
  product,
  codeTo,
}) => {
  const site = await product.site()
  await prefer(page, { dark: true, fontSize: 16 })
  const sent: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/user/preference')) sent.push(request.postData() ?? '')
  })
  await signInByCode(page, site, codeTo)
  await expect.poll(() => sent.map((text) => JSON.parse(text))).toEqual([{ dark: true, fontSize: 16 }])
  const account = () =>
    page.evaluate(async () => {
      const answer = await fetch('/api/user/info', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
      return (await answer.json()).data.preference
    })
  await expect.poll(account).toEqual({ dark: true, fontSize: 16 })
  await page.reload()
  await expect(page.getByRole('heading').first()).toBeVisible()
  expect(sent).toHaveLength(1)
})

test('a choice without a network holds here', { tag: '@full' }, async ({ page, product }) => {
  const site = await product.site()
  await signIn(page, site)
  await page.route('**/api/user/preference', (route) => route.abort())
  await pick(page, '字体大小', '大')
  await expect(toast(page, '已在本机生效，暂未同步到您的账号')).toBeVisible()
  expect(await look(page)).toEqual({ dark: false, size: '16px', stored: '{"fontSize":16}' })
  await page.reload()
  expect(await look(page)).toMatchObject({ size: '16px' })
})

test('the keyboard alone changes nickname and picture', async ({ page, product, isMobile }) => {
  test.skip(isMobile, 'phones have no keyboard')
  const site = await product.site()
  await signIn(page, site)
  await tabTo(page, page.getByRole('button', { name: '修改昵称' }))
  await page.keyboard.press('Enter')
  await page.keyboard.type('林知夏')
  await page.keyboard.press('Enter')
  await expect(page.locator('.profile h2')).toHaveText('林知夏')
  await page.reload()
  const chooser = page.waitForEvent('filechooser')
  await tabTo(page, page.getByRole('button', { name: '更换头像' }))
  await page.keyboard.press('Enter')
  const buffer = await (await quarters(400, 400)).png().toBuffer()
  await (await chooser).setFiles({ name: 'me.png', mimeType: 'image/png', buffer })
  await expect(page.getByRole('application')).toBeFocused()
  await page.keyboard.press('+')
  await tabTo(page, page.getByRole('slider', { name: '缩放' }))
  await page.keyboard.press('ArrowRight')
  await tabTo(page, confirm(page))
  await page.keyboard.press('Enter')
  await expect(avatar(page).locator('img')).toBeVisible()
})

test('axe finds nothing in the states of the user centre, in light and dark', async ({ page, product }) => {
  const site = await product.site()
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await signIn(page, site)
  await page.getByRole('button', { name: '修改昵称' }).click()
  await page.getByRole('button', { name: '保存' }).click()
  await expect(page.getByRole('alert')).toBeVisible()
  expect(await themedFaults(page), 'nickname').toEqual([])
  await page.keyboard.press('Escape')
  await chooseFile(page, await (await quarters(400, 400)).png().toBuffer(), 'image/png', 'me.png')
  await expect(cropDialog(page)).toBeVisible()
  expect(await themedFaults(page), 'crop').toEqual([])
  await page.route('**/changeAvatar', (route) => route.abort())
  await confirm(page).click()
  await expect(page.getByRole('alert')).toBeVisible()
  expect(await themedFaults(page), 'error').toEqual([])
})

test('at font size 18 on 360 px nothing is cut, also in the dialog', async ({ page, product }) => {
  const site = await product.site()
  await prefer(page, { fontSize: 18 })
  await page.setViewportSize({ width: 360, height: 740 })
  await signIn(page, site)
  const width = () => page.evaluate(() => document.documentElement.scrollWidth)
  await page.getByRole('button', { name: '修改昵称' }).click()
  expect(await width()).toBeLessThanOrEqual(360)
  await page.keyboard.press('Escape')
  await chooseFile(page, await (await quarters(400, 400)).png().toBuffer(), 'image/png', 'me.png')
  await expect(confirm(page)).toBeInViewport({ ratio: 1 })
  await expect(cropDialog(page).getByRole('heading')).toBeInViewport({ ratio: 1 })
  for (const control of [page.getByRole('slider', { name: '缩放' }), confirm(page)]) {
    expect((await control.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  }
})
