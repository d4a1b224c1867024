import { randomBytes } from 'node:crypto'
import type { SiteConfig } from '@hufu/contract/site'
import type { Browser, Page } from '@playwright/test'
import { expect, freshMobile, prefer, type StorySite, test as story } from './fixtures.ts'
import { axeFaults, checkByPassword, createMember, enter, misfits } from './member.ts'
import { signIn } from './session.ts'

const agent =
  'Mozilla/5.0 (Linux; Android 14; PJX110) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36 MicroMessenger/8.0.50.2701'

interface Wechat {
  /** A brand with an official account of its own. */
  site(config?: SiteConfig): Promise<StorySite>
  /** The owner of phones that have picked no user, or what else shall happen. */
  order(order: object): Promise<void>
}

const test = story.extend<{ wechat: Wechat }>({
  userAgent: agent,
  wechat: async ({ product, ground }, use) => {
    const account = { appId: `wx${randomBytes(8).toString('hex')}`, secret: randomBytes(16).toString('hex') }
    const order = async (wanted: object) => {
      const body = JSON.stringify({ appId: account.appId, ...wanted })
      const answer = await fetch(`${ground.wechatUrl}/control`, { method: 'POST', body })
      expect(answer.status).toBe(200)
    }
    await order(account)
    await use({ order, site: (config = {}) => product.site({ wechat: account, ...config }) })
  },
})

const pick = (page: Page, user: string) => page.locator(`[data-person="${user}"]`).click()
const tap = (page: Page) => page.getByRole('button', { name: '微信登录' }).click()

/** A user whose only sign-in method is WeChat, on the user centre. */
async function createByTap(page: Page, site: StorySite, user = 'lin') {
  await page.goto(`${site.url}/login`)
  await tap(page)
  await pick(page, user)
  await page.getByRole('button', { name: '创建新账号' }).click()
  await expect(page).toHaveURL(`${site.url}/user`)
}

/** Counts how often a page sets out for WeChat. */
function countTrips(page: Page) {
  const trips: string[] = []
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/login/wechat') trips.push(request.url())
  })
  return trips
}

const phone = async (browser: Browser) => (await browser.newContext({ userAgent: agent, locale: 'zh-CN' })).newPage()

test('S364 S365 D018 silent entry: an unknown visitor sees the page after one redirect, a known user is signed in without a tap', async ({
  page,
  browser,
  wechat,
}) => {
  const site = await wechat.site()
  const trips = countTrips(page)
  await page.goto(`${site.url}/login/${encodeURIComponent('/user/device')}`)
  await expect(page.getByLabel('手机号', { exact: true })).toBeVisible()
  expect(trips).toHaveLength(1)
  // D052: neither a reload nor a new visit redirects again.
  await page.reload()
  await expect(page.getByLabel('手机号', { exact: true })).toBeVisible()
  await page.goto(`${site.url}/login`)
  await expect(page.getByRole('button', { name: '微信登录' })).toBeVisible()
  expect(trips).toHaveLength(1)
  await createByTap(page, site)

  const other = await phone(browser)
  await other.goto(`${site.url}/login/${encodeURIComponent('/user/device')}`)
  await expect(other).toHaveURL(`${site.url}/user/device`)
  await expect(other.getByText('设备信息').first()).toBeVisible()
  await other.context().close()
})

test('微信登录 by a tap: a new account with the nickname from WeChat', async ({ page, wechat }) => {
  const site = await wechat.site()
  await page.goto(`${site.url}/login`)
  await tap(page)
  await expect(page.getByText('申请获取你的昵称和头像')).toBeVisible()
  await pick(page, 'lin')
  await expect(page.getByRole('heading', { name: '首次使用微信登录' })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  expect(await misfits(page)).toEqual([])
  await page.getByRole('button', { name: '创建新账号' }).click()
  await expect(page).toHaveURL(`${site.url}/user`)
  // S315 S316: the nickname shows, and stands in the empty field.
  await expect(page.locator('.profile').getByText('林小满')).toBeVisible()
  await expect(page.getByRole('link', { name: /^微信/ })).toContainText('林小满')
})

test('绑定已有账号: signing in to it binds WeChat, which signs in from then on', { tag: '@full' }, async ({
  page,
  browser,
  wechat,
  codeTo,
}) => {
  const site = await wechat.site()
  await page.goto(`${site.url}/login`)
  await tap(page)
  await pick(page, 'chen')
  await page.getByRole('button', { name: '绑定已有账号' }).click()
  const mobile = freshMobile()
  await page.getByLabel('手机号', { exact: true }).fill(mobile)
  await page.getByRole('button', { name: '发送验证码' }).click()
  await page.getByLabel('短信验证码').fill(await codeTo(mobile))
  await pick(page, 'chen')
  await expect(page).toHaveURL(`${site.url}/user`)
  await expect(page.getByRole('link', { name: /^微信/ })).toContainText('陈默')

  await wechat.order({ person: 'chen' })
  const other = await phone(browser)
  await other.goto(`${site.url}/login`)
  await expect(other.getByRole('link', { name: /^微信/ })).toContainText('陈默')
  await other.context().close()
})

test('S403 S404 the box decides whether signing in goes by way of the binding', { tag: '@full' }, async ({
  page,
  wechat,
  codeTo,
}) => {
  const site = await wechat.site()
  const source = '/user/device'
  await page.goto(`${site.url}/login/${encodeURIComponent(source)}`)
  await expect(page.getByLabel('登录后绑定微信')).toBeChecked()
  await page.getByLabel('登录后绑定微信').uncheck()
  await page.getByLabel('手机号', { exact: true }).fill(freshMobile())
  await page.getByRole('button', { name: '发送验证码' }).click()
  const mobile = (await page.getByLabel('手机号', { exact: true }).inputValue()).replace(/\D/g, '')
  await page.getByLabel('短信验证码').fill(await codeTo(mobile))
  await expect(page).toHaveURL(site.url + source)
  await page.goto(`${site.url}/user`)
  await expect(page.getByRole('link', { name: /^微信/ })).toContainText('未绑定')
})

test('a WeChat of another account is not bound; the user returns to the source and sees a message', {
  tag: '@full',
}, async ({ page, browser, wechat, codeTo }) => {
  const site = await wechat.site()
  const first = await phone(browser)
  await createByTap(first, site)
  await first.context().close()
  await wechat.order({ person: 'zhou' })
  await page.goto(`${site.url}/login/${encodeURIComponent('/user/device')}`)
  const mobile = freshMobile()
  await page.getByLabel('手机号', { exact: true }).fill(mobile)
  await page.getByRole('button', { name: '发送验证码' }).click()
  await page.getByLabel('短信验证码').fill(await codeTo(mobile))
  await pick(page, 'lin')
  await expect(page.getByText('该微信已绑定其他账号')).toBeVisible()
  await expect(page).toHaveURL(`${site.url}/user/device`)
})

test('after a snapshot visit and after a refusal the page says what to do, on the sign-in page', {
  tag: '@full',
}, async ({ page, wechat }) => {
  const site = await wechat.site()
  await page.goto(`${site.url}/login`)
  await tap(page)
  await pick(page, 'snapshot')
  await expect(page.getByRole('alert')).toHaveText('请点击右下角「使用完整服务」后再试')
  await tap(page)
  await pick(page, 'refuse')
  await expect(page.getByRole('alert')).toHaveText('您取消了微信授权')
  await expect(page.getByLabel('手机号', { exact: true })).toBeVisible()
})

test('bind, take nickname again, unbind after a step-up, from the user centre', async ({ page, wechat }) => {
  const site = await wechat.site()
  const member = await createMember(site)
  await enter(page, site, member)
  await page.getByRole('link', { name: /^微信/ }).click()
  await expect(page).toHaveURL(`${site.url}/user/wechat`)
  await page.getByRole('button', { name: '绑定微信' }).click()
  await pick(page, 'lin')
  await expect(page.getByText('绑定成功')).toBeVisible()
  await expect(page).toHaveURL(`${site.url}/user/wechat`)
  expect(await axeFaults(page)).toEqual([])
  expect(await misfits(page)).toEqual([])

  await wechat.order({ change: { id: 'lin', nickname: '满满' } })
  await page.getByRole('button', { name: '更新昵称和头像' }).click()
  await pick(page, 'lin')
  await expect(page.getByText('满满')).toBeVisible()

  await page.getByRole('button', { name: '解除绑定' }).click()
  await expect(page).toHaveURL(`${site.url}/user/twoFactor/authorize`)
  await checkByPassword(page)
  await expect(page).toHaveURL(`${site.url}/user/wechat`)
  await page.getByRole('button', { name: '解除绑定' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '解除绑定' }).click()
  await expect(page.getByText('已解除绑定')).toBeVisible()
  await expect(page.getByText('未绑定')).toBeVisible()
})

test('D019 a user who has only WeChat keeps it, and can complete a step-up with it', { tag: '@full' }, async ({
  page,
  wechat,
}) => {
  const site = await wechat.site()
  await createByTap(page, site)
  await page.getByRole('link', { name: /^微信/ }).click()
  await expect(page.getByText('微信是您唯一的登录方式')).toBeVisible()
  await expect(page.getByRole('button', { name: '解除绑定' })).toBeHidden()
  await site.query("UPDATE session SET two_factor_at = two_factor_at - interval '10 minutes' WHERE site_id = $1", [])
  // The cached copy of the session goes by itself; the step-up page asks the database.
  await page.goto(`${site.url}/user/twoFactor/authorize`)
  await page.getByRole('button', { name: '微信验证' }).click()
  await pick(page, 'lin')
  await expect(page).toHaveURL(`${site.url}/user`)
  await page.goto(`${site.url}/user/changePassword`)
  await expect(page.getByLabel('新密码', { exact: true })).toBeVisible()
})

test('D048 A32 an address from elsewhere neither binds nor unbinds nor signs in', async ({ page, wechat, ground }) => {
  const site = await wechat.site()
  await createByTap(page, site)
  for (const action of ['binding', 'unbinding', 'info', 'check']) {
    await page.goto(`${site.url}/api/user/wechat/${action}?source=%2Fuser%2Fdevice`)
    await expect(page).toHaveURL(`${site.url}/user`)
  }
  await expect(page.getByRole('link', { name: /^微信/ })).toContainText('林小满')
  await page.context().clearCookies()
  const trips: string[] = []
  page.on('request', (request) => void (request.url().includes('/connect/oauth2/') && trips.push(request.url())))
  await page.goto(ground.inbox)
  await page.evaluate((address) => window.location.assign(address), `${site.url}/api/login/wechat?tap=1`)
  await expect(page).toHaveURL(/\/login/)
  expect(trips.filter((url) => url.includes('snsapi_userinfo'))).toEqual([])
})

test.describe('outside WeChat', () => {
  test.use({ userAgent: undefined as never })

  test('S405 no box, no 微信登录, and the page about WeChat shows the way there', async ({ page, wechat }) => {
    const site = await wechat.site()
    await page.goto(`${site.url}/login`)
    await expect(page.getByLabel('手机号', { exact: true })).toBeVisible()
    await expect(page.getByLabel('登录后绑定微信')).toBeHidden()
    await expect(page.getByRole('button', { name: '微信登录' })).toBeHidden()
    await signIn(page, site)
    await page.getByRole('link', { name: /^微信/ }).click()
    const portrait = await page.evaluate(() => innerWidth < innerHeight)
    const way = portrait
      ? page.getByText('请在微信中打开本页面，完成绑定')
      : page.getByRole('img', { name: '打开微信扫一扫，在手机上完成绑定' })
    await expect(way).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    await prefer(page, { dark: true, fontSize: 18 })
    await page.reload()
    expect(await axeFaults(page)).toEqual([])
    expect(await misfits(page)).toEqual([])
  })
})
