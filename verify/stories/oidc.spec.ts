import type { Page } from '@playwright/test'
import { test as base, expect, freshMobile, type StorySite } from './fixtures.ts'
import { axeFaults, misfits } from './member.ts'
import { type RelyingParty, startRelyingParties, storyClients } from './relying-party.ts'
import { giveSession, signIn } from './session.ts'

interface Parties {
  site: StorySite
  /** Of the brand itself. */
  shop: RelyingParty
  /** Of others. */
  books: RelyingParty
}

const test = base.extend<{ parties: Parties }>({
  parties: async ({ product }, use) => {
    let site: StorySite | undefined
    const { port, shop, books, stop } = await startRelyingParties(() => site as StorySite)
    site = await product.site({ clients: storyClients(port) })
    await use({ site, shop, books })
    await stop()
  },
})

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, exact: true })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const isSignedIn = async (page: Page, { url }: RelyingParty) => {
  await expect(page).toHaveURL(`${url}/`)
  await expect(heading(page, '已登录')).toBeVisible()
}
const isSignedOutOf = async (page: Page, site: StorySite) => {
  await page.goto(`${site.url}/user`)
  await expect(heading(page, '请先登录')).toBeVisible()
}
const namedSite = (page: Page, name: string) =>
  expect(page.locator('.returns-to')).toContainText(`登录后将返回 ${name}`)

async function signInHere(page: Page, codeTo: (to: string) => Promise<string>, mobile = freshMobile()) {
  await page.getByLabel('手机号', { exact: true }).fill(mobile)
  await press(page, '发送验证码')
  await page.getByLabel('短信验证码').fill(await codeTo(mobile))
  return mobile
}

test('D296 the sign-in page names the site that asked, and the user returns to it signed in', async ({
  page,
  parties: { site, shop },
  codeTo,
}) => {
  await page.goto(`${shop.url}/login`)
  await expect(page).toHaveURL(new RegExp(`^${site.url}/login/%2Foidc%2Fauthorize%2F`))
  await namedSite(page, '青屿商城')
  const mobile = await signInHere(page, codeTo)
  await isSignedIn(page, shop)
  expect(shop.last().info.phone_number).toBe(`+86${mobile}`)
  // Back leads past our pages.
  await page.goto(`${shop.url}/login`)
  await isSignedIn(page, shop)
})

test('D297 a third party learns what the user ticked; 授权管理 lists it, and 解除授权 ends its tokens at once', async ({
  page,
  parties: { site, books },
}) => {
  await signIn(page, site)
  const scope = encodeURIComponent('openid profile phone offline_access')
  await page.goto(`${books.url}/login?prompt=consent&scope=${scope}`)
  await expect(heading(page, '授权登录')).toBeVisible()
  await expect(page.getByText('用于发送到货通知')).toBeVisible()
  await expect(page.getByRole('checkbox', { name: /昵称和头像/ })).toBeDisabled()
  await page.getByRole('checkbox', { name: /手机号/ }).uncheck()
  expect([await axeFaults(page), await misfits(page)]).toEqual([[], []])
  await press(page, '同意并继续')
  await isSignedIn(page, books)
  expect(books.last().info).not.toHaveProperty('phone_number')
  expect(books.last().tokens.scope?.split(' ').sort()).toEqual(['offline_access', 'openid', 'profile'])

  await page.goto(`${site.url}/user/authorizations`)
  await expect(page.getByText('海风书店')).toBeVisible()
  await page.getByRole('button', { name: '解除授权：海风书店' }).click()
  await page.getByRole('dialog').getByRole('button', { name: '解除授权' }).click()
  await expect(page.getByText('已解除对海风书店的授权')).toBeVisible()
  await expect(page.getByText('没有授权的网站')).toBeVisible()
  await expect(books.userinfo()).rejects.toThrow()
  await expect(books.refresh()).rejects.toMatchObject({ error: 'invalid_grant' })
})

test('D297 who refuses returns to the third party and it has learnt nothing', async ({
  page,
  parties: { site, books },
}) => {
  await signIn(page, site)
  await page.goto(`${books.url}/login`)
  await press(page, '拒绝')
  await expect(heading(page, 'access_denied')).toBeVisible()
})

test('D298 a site that proves the session signs out at once; otherwise the user confirms', async ({
  page,
  parties: { site, shop },
}) => {
  await signIn(page, site)
  await page.goto(`${shop.url}/login`)
  await isSignedIn(page, shop)
  await page.goto(`${shop.url}/logout`)
  await expect(page).toHaveURL(`${shop.url}/`)
  await isSignedOutOf(page, site)

  await signIn(page, site)
  await page.goto(`${shop.url}/logout?plain&client_id=shop`)
  await expect(page).toHaveURL(new RegExp(`^${site.url}/logout/`))
  await expect(heading(page, /退出登录/)).toBeVisible()
  expect([await axeFaults(page), await misfits(page)]).toEqual([[], []])
  await press(page, '退出登录')
  await expect(page).toHaveURL(`${shop.url}/`)
  await expect(heading(page, '未登录')).toBeVisible()
  await isSignedOutOf(page, site)
})

test('D299 an answer by form_post reaches the site under our policy', async ({ page, parties: { site, shop } }) => {
  await signIn(page, site)
  let posted = false
  page.on('request', (made) => {
    posted ||= made.method() === 'POST' && made.url() === `${shop.url}/callback`
  })
  await page.goto(`${shop.url}/login?response_mode=form_post`)
  await isSignedIn(page, shop)
  expect(posted).toBe(true)
})

test('D300 prompt=login asks a signed-in user to sign in again, and only then returns', async ({
  page,
  parties: { site, shop },
  codeTo,
}) => {
  const mobile = freshMobile()
  await giveSession(page, site, await site.createUser({ mobile }), { method: 'mobile' })
  await page.goto(`${shop.url}/login?prompt=login`)
  await namedSite(page, '青屿商城')
  await expect(page.getByText('为了您的账号安全，请重新登录')).toBeVisible()
  // It doesn't leave by itself because there is a session.
  await page.reload()
  await namedSite(page, '青屿商城')
  await signInHere(page, codeTo, mobile)
  await isSignedIn(page, shop)
})
