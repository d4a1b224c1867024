import { randomBytes } from 'node:crypto'
import type { Page } from '@playwright/test'
import { formatToken } from '../../apps/server/src/shared/sessions/session-cookie.ts'
import { expect, freshMobile } from './fixtures.ts'
import type { SignInMethod, StorySite } from './story-site.ts'

const cookieOf = (site: StorySite, name: string, value: string, httpOnly = true) => ({
  name: `__Host-${name}`,
  value,
  domain: new URL(site.url).hostname,
  path: '/',
  secure: true,
  httpOnly,
  sameSite: 'Lax' as const,
})

/** Gives the browser the session that signing in would give it, where signing in is not the subject. */
export async function giveSession(
  page: Page,
  site: StorySite,
  userId: string,
  { method = 'password', ...proved }: { method?: SignInMethod; checked?: boolean; factor?: boolean } = {},
) {
  const known = (await page.context().cookies(site.url)).find(({ name }) => name === '__Host-hufu-browser')
  const mark = known?.value ?? randomBytes(16).toString('base64url')
  const userAgent = await page.evaluate(() => navigator.userAgent)
  const token = await site.beginSession(userId, { method, userAgent, mark, ...proved })
  await page
    .context()
    .addCookies([
      cookieOf(site, 'hufu-browser', mark),
      cookieOf(site, 'hufu', formatToken(token)),
      cookieOf(site, 'hufu-in', '1', false),
    ])
}

/** A new user with a number alone, signed in and on the page. */
export async function signIn(page: Page, site: StorySite, path = '/user') {
  const mobile = freshMobile()
  await giveSession(page, site, await site.createUser({ mobile }), { method: 'mobile' })
  await page.goto(site.url + path)
  await expect(page.locator('#main')).toBeVisible()
  return mobile
}
