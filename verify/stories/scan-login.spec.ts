import type { Browser, Page } from '@playwright/test'
import { expect, prefer, type StorySite, signInByCode, test } from './fixtures.ts'
import { axeFaults, createMember, enter, misfits } from './member.ts'
import { scanQr } from './read-qr.ts'

const weChat =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 MicroMessenger/8.0.50(0x18003230) NetType/WIFI Language/zh_CN'

interface PhoneOptions {
  /** Its IP address, as reported by a proxy. */
  address?: string
  userAgent?: string
}

declare global {
  interface Window {
    closedAt?: number
  }
}

/** A phone of its own, by default inside WeChat, whose bridge notes when it was asked to close. */
async function openPhone(browser: Browser, { address, userAgent = weChat }: PhoneOptions = {}): Promise<Page> {
  const context = await browser.newContext({
    userAgent,
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
    locale: 'zh-CN',
    ...(address && { extraHTTPHeaders: { 'x-forwarded-for': address } }),
  })
  await context.addInitScript(() => {
    Object.assign(window, {
      WeixinJSBridge: {
        call(action: string) {
          if (action === 'closeWindow') window.closedAt = performance.now()
        },
      },
    })
  })
  return await context.newPage()
}

async function signedInPhone(browser: Browser, site: StorySite, options: PhoneOptions = {}) {
  const member = await createMember(site, ['mobile'])
  const phone = await openPhone(browser, options)
  await enter(phone, site, member)
  return { phone, member }
}

const qr = (page: Page) => page.getByRole('img', { name: '登录二维码' })

/** What a camera would read. */
async function scan(page: Page): Promise<string> {
  const { level, text } = await scanQr(qr(page))
  expect(level).toBe('H')
  return text
}

/** Shows the code on the sign-in page and reads it. */
async function showCode(page: Page, site: StorySite, source = '/user'): Promise<string> {
  await page.goto(`${site.url}/login/${encodeURIComponent(source)}`)
  await page.getByRole('button', { name: '微信扫码' }).click()
  await expect(qr(page)).toBeVisible()
  return await scan(page)
}

const approve = (page: Page) => page.getByRole('button', { name: '确认登录' })
const reject = (page: Page) => page.getByRole('button', { name: '拒绝' })
const idIn = (address: string) => address.split('/')[4] ?? ''

test('S008 S016 S089 S090 S095 S096 S258 S259 S260 S265 a code is scanned with WeChat, approved, and the waiting page goes to its source', async ({
  page,
  product,
  browser,
}) => {
  const site = await product.site()
  const { phone, member } = await signedInPhone(browser, site)
  const address = await showCode(page, site, '/user/theme')
  expect(address).toMatch(new RegExp(`^${site.url}/loginApprove/[\\w-]{22}/\\d{13}/127\\.0\\.0\\.1$`))
  await phone.goto(address)
  await expect(phone.getByRole('heading', { name: '确认登录？' })).toBeVisible()
  await expect(phone).toHaveTitle('登录确认')
  await expect(phone.getByText('林知夏')).toBeVisible()
  const masked = `+86 ${member.mobile?.slice(0, 3)}****${member.mobile?.slice(-4)}`
  await expect(phone.getByText(masked)).toBeVisible()
  await expect(phone.getByText(new URL(site.url).host)).toBeVisible()
  await expect(phone.getByText('与本机在同一网络')).toBeVisible()
  await expect(page.getByText('已扫描，请在手机上确认').first()).toBeVisible()
  await approve(phone).click()
  await expect(phone.getByRole('heading', { name: '已确认登录' })).toBeVisible()
  const shown = await phone.evaluate(() => performance.now())
  await expect(page).toHaveURL(`${site.url}/user/theme`)
  await page.goto(`${site.url}/user`)
  await expect(page.getByRole('main').getByText(masked)).toBeVisible()
  await expect(phone.getByText('您可以关闭此页面')).toBeVisible()
  await expect.poll(() => phone.evaluate(() => window.closedAt ?? 0)).toBeGreaterThan(shown + 2_400)
})

test('S097 S261 S264 S266 D070 a rejected request says so, and a new code can be had', { tag: '@full' }, async ({
  page,
  product,
  browser,
}) => {
  const site = await product.site()
  const { phone } = await signedInPhone(browser, site)
  const address = await showCode(page, site)
  await phone.goto(address)
  await reject(phone).click()
  await expect(phone.getByRole('heading', { name: '已拒绝登录' })).toBeVisible()
  await expect(page.getByText('授权失败，微信端已拒绝').first()).toBeVisible()
  await expect.poll(() => phone.evaluate(() => window.closedAt ?? 0)).toBeGreaterThan(0)
  await page.getByRole('button', { name: '重新获取二维码' }).click()
  await expect(qr(page)).toBeVisible()
  const next = await scan(page)
  expect(next).not.toBe(address)
  await phone.goto(next)
  await approve(phone).click()
  await expect(page).toHaveURL(`${site.url}/user`)
})

test('D030 from another province it is said in amber and asked once more', { tag: '@full' }, async ({
  page,
  product,
  browser,
}) => {
  const site = await product.site()
  const { phone } = await signedInPhone(browser, site, { address: '202.96.209.5' })
  await page.setExtraHTTPHeaders({ 'x-forwarded-for': '120.24.78.68' })
  await phone.goto(await showCode(page, site))
  await expect(phone.getByText('来自其他地区，请确认是您本人操作')).toBeVisible()
  await expect(phone.getByText('广东省 深圳市')).toBeVisible()
  await approve(phone).click()
  const dialog = phone.getByRole('dialog')
  await expect(dialog.getByText('广东省 深圳市')).toBeVisible()
  await phone.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(page).toHaveURL(/login/)
  await approve(phone).click()
  await dialog.getByRole('button', { name: '确认登录' }).click()
  await expect(phone.getByRole('heading', { name: '已确认登录' })).toBeVisible()
  await expect(page).toHaveURL(`${site.url}/user`)
})

test('D028 an expired code is covered, renewed by a tap, and the new one works', { tag: '@full' }, async ({
  page,
  product,
  browser,
}) => {
  const site = await product.site()
  const { phone } = await signedInPhone(browser, site)
  const address = await showCode(page, site)
  await site.expireScan(idIn(address))
  await expect(page.getByText('二维码已过期').first()).toBeVisible()
  await phone.goto(address)
  await expect(phone.getByRole('alert')).toHaveText('二维码已过期，请刷新后重试')
  await expect(phone.getByText('请在要登录的设备上刷新二维码，再重新扫描')).toBeVisible()
  await expect(approve(phone)).toHaveCount(0)
  await page.getByRole('button', { name: '点击刷新' }).click()
  await expect(page.getByText('二维码已过期')).toHaveCount(0)
  await phone.goto(await scan(page))
  await approve(phone).click()
  await expect(page).toHaveURL(`${site.url}/user`)
})

test('S098 a request that expires under the finger is reported, and the choice is shown again', {
  tag: '@full',
}, async ({ page, product, browser }) => {
  const site = await product.site()
  const { phone } = await signedInPhone(browser, site)
  const address = await showCode(page, site)
  await phone.goto(address)
  await expect(approve(phone)).toBeVisible()
  await site.expireScan(idIn(address))
  await approve(phone).click()
  await expect(phone.getByRole('alert')).toHaveText('二维码已过期，请刷新后重试')
  await expect(approve(phone)).toBeEnabled()
  await expect(reject(phone)).toBeEnabled()
  await expect(phone.getByText('127.0.0.1')).toBeVisible()
})

test('D027 the second user sees that the code is taken; on a second visit, that it is decided', {
  tag: '@full',
}, async ({ page, product, browser }) => {
  const site = await product.site()
  const { phone } = await signedInPhone(browser, site)
  const { phone: second } = await signedInPhone(browser, site)
  const address = await showCode(page, site)
  await phone.goto(address)
  await expect(approve(phone)).toBeVisible()
  await second.goto(address)
  await expect(second.getByRole('alert')).toHaveText('该二维码已被其他账号扫描，请刷新二维码后重试')
  await approve(phone).click()
  await expect(page).toHaveURL(`${site.url}/user`)
  await phone.goto(address)
  await expect(phone.getByRole('alert')).toHaveText('该登录请求已处理，请勿重复操作')
})

test('S263 two tabs wait side by side, each for its own code', async ({ page, context, product, browser }) => {
  const site = await product.site()
  const { phone } = await signedInPhone(browser, site)
  const other = await context.newPage()
  const first = await showCode(page, site)
  const second = await showCode(other, site, '/user/theme')
  expect(second).not.toBe(first)
  await phone.goto(second)
  await approve(phone).click()
  await other.bringToFront()
  await expect(other).toHaveURL(`${site.url}/user/theme`)
  await page.bringToFront()
  await expect(qr(page)).toBeVisible()
  await phone.goto(first)
  await approve(phone).click()
  await expect(page).toHaveURL(`${site.url}/user`)
})

test('S346 an approver who is not signed in signs in and comes back to the same request', async ({
  page,
  product,
  browser,
  codeTo,
}) => {
  const site = await product.site()
  const phone = await openPhone(browser)
  const address = await showCode(page, site)
  const { pathname } = new URL(address)
  await phone.goto(address)
  await expect(phone).toHaveURL(`${site.url}/login/${encodeURIComponent(pathname)}`)
  await signInByCode(phone, site, codeTo, pathname)
  await approve(phone).click()
  await expect(phone.getByRole('heading', { name: '已确认登录' })).toBeVisible()
  await expect(page).toHaveURL(`${site.url}/user`)
})

test('S262 a network that is lost while waiting is reported and comes back by itself', async ({
  page,
  context,
  product,
  browser,
}) => {
  const site = await product.site()
  const { phone } = await signedInPhone(browser, site)
  const address = await showCode(page, site)
  await context.setOffline(true)
  await expect(page.getByText('网络异常，正在重新连接…')).toBeVisible()
  await phone.goto(address)
  await approve(phone).click()
  await expect(phone.getByRole('heading', { name: '已确认登录' })).toBeVisible()
  await context.setOffline(false)
  await expect(page).toHaveURL(`${site.url}/user`)
})

test('S096 outside WeChat the window closes itself after 3 s', async ({ page, product, browser }) => {
  const site = await product.site()
  const { phone } = await signedInPhone(browser, site, { userAgent: 'Mozilla/5.0 (Linux; Android 15) Chrome/142.0' })
  const address = await showCode(page, site)
  // As another app opens it: browsers let a script close only what a script has opened.
  const popup = phone.waitForEvent('popup')
  await phone.evaluate((to) => void window.open(to), address)
  const opened = await popup
  await approve(opened).click()
  await expect(opened.getByRole('heading', { name: '已确认登录' })).toBeVisible()
  const closed = opened.waitForEvent('close')
  const shown = performance.now()
  await closed
  expect(performance.now() - shown).toBeGreaterThan(2_000)
})

test('S009 inside WeChat the method is not offered', { tag: '@full' }, async ({ product, browser }) => {
  const site = await product.site()
  const phone = await openPhone(browser)
  await phone.goto(`${site.url}/login`)
  await expect(phone.getByRole('button', { name: '密码登录' })).toBeVisible()
  await expect(phone.getByRole('button', { name: '微信扫码' })).toHaveCount(0)
})

test('both sides are usable by keyboard, by readers and with the largest letters, in light and dark', async ({
  page,
  product,
  browser,
}) => {
  const site = await product.site({ theme: { primary: '#e60012' } })
  const { phone } = await signedInPhone(browser, site, { address: '202.96.209.5' })
  await page.setViewportSize({ width: 360, height: 740 })
  await prefer(page, { dark: true, fontSize: 18 })
  await page.setExtraHTTPHeaders({ 'x-forwarded-for': '120.24.78.68' })
  await page.goto(`${site.url}/login`)
  await page.getByRole('button', { name: '微信扫码' }).focus()
  await page.keyboard.press('Enter')
  await expect(qr(page)).toBeVisible()
  expect(await page.evaluate(() => document.activeElement?.className)).toBe('scan')
  const faults = async (at: Page) => [...(await axeFaults(at)), ...(await misfits(at))]
  expect(await faults(page)).toEqual([])
  await phone.setViewportSize({ width: 360, height: 740 })
  await prefer(phone, { dark: true, fontSize: 18 })
  await phone.goto(await scan(page))
  await expect(approve(phone)).toBeVisible()
  expect(await faults(phone)).toEqual([])
  await expect(page.getByText('已扫描，请在手机上确认').first()).toBeVisible()
  expect(await faults(page)).toEqual([])
  await approve(phone).focus()
  await phone.keyboard.press('Enter')
  await expect(phone.getByRole('dialog').getByRole('button', { name: '取消' })).toBeFocused()
  expect(await faults(phone)).toEqual([])
  await phone.keyboard.press('Escape')
  await expect(approve(phone)).toBeFocused()
  await phone.keyboard.press('Tab')
  await phone.keyboard.press('Enter')
  await expect(phone.getByRole('heading', { name: '已拒绝登录' })).toBeVisible()
  expect(await faults(phone)).toEqual([])
  await expect(page.getByRole('button', { name: '重新获取二维码' })).toBeVisible()
  expect(await faults(page)).toEqual([])
})
