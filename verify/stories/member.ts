import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { nextCode } from './authenticator-app.ts'
import { expect, freshMobile, type StorySite } from './fixtures.ts'
import { giveSession } from './session.ts'

export const password = 'Qy#2026autumn'
export const checkPath = '/user/twoFactor/authorize'

export interface Member {
  id: string
  mobile?: string
  email?: string
  username: string
}

/** A user with the given login names besides username and password. Without mobile and e-mail the step-up is by password. */
export async function createMember(
  site: StorySite,
  names: ('mobile' | 'email')[] = [],
  rights: string[] = [],
): Promise<Member> {
  const mobile = freshMobile()
  const member = {
    username: `u${mobile}`,
    ...(names.includes('mobile') && { mobile }),
    ...(names.includes('email') && { email: `p${mobile}@example.com` }),
  }
  const id = await site.createUser({ ...member, password, nickname: '林知夏' })
  if (rights.length > 0) await site.grant(id, rights)
  return { id, ...member }
}

/** An empty page of the site's own to call from: only a page of the product may call the server. */
export async function openEmpty(page: Page, site: StorySite) {
  const address = `${site.url}/empty`
  await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: '' }))
  await page.goto(address)
  await page.unroute(address)
}

async function openCentre(page: Page, site: StorySite) {
  await page.goto(`${site.url}/user`)
  await expect(page.getByRole('link', { name: '电子邮箱' })).toBeVisible()
}

/** Signed in, on the user centre, with nothing behind it in the history. */
export async function enter(page: Page, site: StorySite, { id }: Pick<Member, 'id'>, { checked = false } = {}) {
  await giveSession(page, site, id, { checked })
  await openCentre(page, site)
}

interface Credentials {
  account: string
  password: string
  agreements?: string | undefined
}

/** By calls from the page as it is: the password, and the authenticator of stories where the account has it. */
export async function signInByCalls(page: Page, site: StorySite, credentials: Credentials) {
  const post = (path: string, data: object) =>
    page.evaluate(
      async ([to, body]) => {
        const headers = { 'content-type': 'application/json' }
        const answer = await fetch(to, { method: 'POST', headers, body })
        return { status: answer.status, body: (await answer.json()) as { details?: { ticket?: string } } }
      },
      [path, JSON.stringify(data)] as const,
    )
  const first = await post('/api/login/password', credentials)
  const ticket = first.body.details?.ticket
  const last = ticket ? await post('/api/login/factor', { ticket, totp: await nextCode(site) }) : first
  expect(last.status).toBe(200)
}

/** The same where signing in is part of the story; it also counts as a sign-in. */
export async function enterByPassword(page: Page, site: StorySite, { username }: Member, secret = password) {
  await openEmpty(page, site)
  await signInByCalls(page, site, { account: username, password: secret })
  await openCentre(page, site)
}

/** From the user centre, as a user goes. */
export const openChange = (page: Page, path: string) => page.locator(`a[href="${path}"]`).click()

/** From the user centre to another page and on to it again: there are pages to go back to. */
export async function lookAround(page: Page, isMobile: boolean) {
  await page.locator('a[href="/user/device"]').click()
  if (isMobile) await page.getByRole('button', { name: '菜单' }).click()
  await page.getByRole('link', { name: '用户中心' }).click()
}

export async function checkByPassword(page: Page) {
  await page.getByLabel('登录密码', { exact: true }).fill(password)
  await page.getByRole('button', { name: '验证', exact: true }).click()
}

/** A user after a step-up, on a change page that was opened from the user centre. */
export async function enterChange(page: Page, site: StorySite, member: Member, path: string) {
  await enter(page, site, member)
  await openChange(page, path)
  await expect(page).toHaveURL(site.url + checkPath)
  await checkByPassword(page)
  await expect(page).toHaveURL(site.url + path)
}

export const wrongCode = (right: string) => String((Number(right) + 1) % 1_000_000).padStart(6, '0')

/** Ten minutes pass for the step-ups of a site. */
export const runOut = (site: StorySite) =>
  site.query("UPDATE session SET two_factor_at = two_factor_at - interval '10 minutes' WHERE site_id = $1", [])

/** A minute passes for a receiver, here and on the server. */
export async function passMinute(page: Page, site: StorySite, receiver: string) {
  await site.query(
    "UPDATE receiver SET last_sent_at = last_sent_at - interval '61 seconds' WHERE site_id = $1 AND receiver = $2",
    [receiver],
  )
  await page.evaluate(() => sessionStorage.removeItem('sent_codes'))
  await page.reload()
}

/** During a fade the contrast is that of neither end state. */
async function still(page: Page) {
  await page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
    const fading = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().iterations === 1)
    await Promise.allSettled(fading.map(({ finished }) => finished))
  })
}

/** Without frames axe runs in the page itself, which is a quarter of the work. */
export async function axeFaults(page: Page, rules: string[] = []) {
  await still(page)
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode(page.frames().length === 1)
    .options({
      resultTypes: ['violations'],
      ...(rules.length > 0 && { runOnly: { type: 'rule' as const, values: rules } }),
    })
    .analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)
}

/**
 * The same in both themes, for a page without a preferred one: it follows the system while it is open. Of all rules the contrast
 * alone depends on the theme.
 */
export async function themedFaults(page: Page) {
  const faults: string[] = []
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    const dark = colorScheme === 'dark'
    await page.waitForFunction((wanted) => document.documentElement.classList.contains('dark') === wanted, dark)
    const found = await axeFaults(page, dark ? ['color-contrast'] : [])
    faults.push(...found.map((fault) => `${colorScheme}: ${fault}`))
  }
  return faults
}

/** Controls smaller than a finger (of a choice the whole card is one), and whether the page scrolls sideways. */
export async function misfits(page: Page) {
  return await page.evaluate(() => {
    const small = [...document.querySelectorAll<HTMLElement>('main button, main input:not([hidden], [type=radio])')]
      .filter(
        (each) =>
          each.checkVisibility() &&
          each.getBoundingClientRect().height < 43.5 &&
          !each.matches('.resend, .choice button, .consent-account .link'),
      )
      .map((each) => each.outerHTML)
    const wide = document.documentElement.scrollWidth > window.innerWidth ? ['scrolls sideways'] : []
    return [...small, ...wide]
  })
}
