import type { Browser, Page } from '@playwright/test'
import { test as base, expect, freshMobile, type StorySite } from './fixtures.ts'
import { axeFaults, createMember, enter, misfits } from './member.ts'
import { scanQr } from './read-qr.ts'
import { startTelevision, televisionClients } from './television.ts'

type Television = Awaited<ReturnType<typeof startTelevision>>

const test = base.extend<{ at: { site: StorySite; cinema: Television; music: Television } }>({
  at: async ({ product }, use) => {
    const site = await product.site({ clients: televisionClients })
    const [cinema, music] = [await startTelevision(site, 'cinema'), await startTelevision(site, 'music')]
    await use({ site, cinema, music })
    await Promise.all([cinema.stop(), music.stop()])
  },
})

/** A browser of its own shows the television's page. */
async function turnOn(browser: Browser, { url }: Television): Promise<Page> {
  const screen = await (await browser.newContext({ viewport: { width: 1280, height: 720 } })).newPage()
  await screen.goto(url)
  return screen
}

/** What a camera reads from it. */
const scan = async (screen: Page) => (await scanQr(screen.getByRole('img', { name: '登录二维码' }))).text
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
/** The television asks every five seconds. */
const says = (screen: Page, words: string) => expect(heading(screen, words)).toBeVisible({ timeout: 15_000 })

test('D318 a television shows the QR code, the phone approves, and the television is signed in', async ({
  page,
  browser,
  at: { site, cinema },
}) => {
  await enter(page, site, await createMember(site, ['mobile']))
  const screen = await turnOn(browser, cinema)
  const address = await scan(screen)
  expect(address).toMatch(new RegExp(`^${site.url}/device/[B-Z]{4}-[B-Z]{4}$`))
  await page.goto(address)
  await expect(heading(page, '在另一台设备上登录？')).toBeVisible()
  await expect(page.locator('.facts')).toContainText('客厅影院')
  await expect(page.locator('.device-code')).toHaveText(cinema.shown().device?.user_code ?? '')
  await expect(page.locator('.notice.warn')).toContainText('如果设备不在您身边')
  expect([await axeFaults(page), await misfits(page)]).toEqual([[], []])
  await press(page, '确认登录')
  await expect(heading(page, '已确认登录')).toBeVisible()
  await says(screen, '你好，林知夏')
  await page.goto(`${site.url}/user/authorizations`)
  await expect(page.getByText('客厅影院')).toBeVisible()
  // The code was for this once.
  await page.goto(address)
  await expect(heading(page, '无法确认登录')).toBeVisible()
})

test('D318 a refused television says so, and an expired code leads back to typing', async ({
  page,
  browser,
  at: { site, cinema },
}) => {
  await enter(page, site, await createMember(site, ['mobile']))
  const screen = await turnOn(browser, cinema)
  await page.goto(await scan(screen))
  await press(page, '拒绝')
  await expect(heading(page, '已拒绝登录')).toBeVisible()
  await says(screen, 'access_denied')

  await screen.reload()
  const address = await scan(screen)
  const past = `UPDATE oidc_item SET expires_at = now()
    WHERE site_id = $1 AND kind IN ('UserCode', 'DeviceCode') AND client_id = $2`
  await page.goto(address)
  await expect(heading(page, '在另一台设备上登录？')).toBeVisible()
  await site.query(past, ['cinema'])
  await press(page, '确认登录')
  await expect(page.getByRole('alert')).toContainText('登录码不正确或已过期')
  await page.reload()
  await expect(heading(page, '无法确认登录')).toBeVisible()
  await page.getByRole('link', { name: '输入登录码' }).click()
  await expect(heading(page, '在电视等设备上登录')).toBeVisible()
  await says(screen, 'expired_token')
})

test('D318 a phone that is signed out signs in first, and comes back to the same television', async ({
  page,
  browser,
  at: { site, cinema },
  codeTo,
}) => {
  const screen = await turnOn(browser, cinema)
  const address = await scan(screen)
  await page.goto(address)
  await expect(page).toHaveURL(`${site.url}/login/${encodeURIComponent(new URL(address).pathname)}`)
  const mobile = freshMobile()
  await page.getByLabel('手机号', { exact: true }).fill(mobile)
  await press(page, '发送验证码')
  await page.getByLabel('短信验证码').fill(await codeTo(mobile))
  await expect(heading(page, '在另一台设备上登录？')).toBeVisible()
  expect(cinema.shown().outcome).toBeUndefined()
  await press(page, '确认登录')
  await expect(heading(page, '已确认登录')).toBeVisible()
  await expect(screen.locator('h1')).toContainText('你好', { timeout: 15_000 })
})

test('D318 the application of others learns what is left ticked, by a code that is typed', async ({
  page,
  browser,
  at: { site, music },
}) => {
  await enter(page, site, await createMember(site, ['mobile']))
  const screen = await turnOn(browser, music)
  await page.goto(`${site.url}/device`)
  const typed = (music.shown().device?.user_code ?? '').toLowerCase().replace('-', '')
  await page.getByLabel('登录码').fill(typed)
  await expect(page.getByLabel('登录码')).toHaveValue(music.shown().device?.user_code ?? '')
  expect([await axeFaults(page), await misfits(page)]).toEqual([[], []])
  await press(page, '继续')
  await expect(page.getByRole('checkbox', { name: /昵称和头像/ })).toBeDisabled()
  await page.getByRole('checkbox', { name: /手机号/ }).uncheck()
  expect([await axeFaults(page), await misfits(page)]).toEqual([[], []])
  await press(page, '确认登录')
  await says(screen, '你好，林知夏')
  expect(music.shown().phone).toBeUndefined()
})
