import { randomInt } from 'node:crypto'
import { expect, type Page } from '@playwright/test'

/** What every guide is followed with. */
export interface Ground {
  page: Page
  web: string
  inbox: string
}

export interface Journey extends Ground {
  /** The site that signs its users in through the account centre. */
  app: string
  /** Its name on the pages of the account centre. */
  name: string
}

const patient = { timeout: 20_000 }
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
/** Sites draw it as either. */
const control = (page: Page, name: string) => button(page, name).or(page.getByRole('link', { name, exact: true }))
const signedIn = (page: Page) => expect(page.getByRole('heading', { name: 'Signed in' })).toBeVisible(patient)
const signedOut = (page: Page) => expect(page.getByRole('heading', { name: 'Not signed in' })).toBeVisible(patient)

async function codeTo({ inbox }: Ground, mobile: string): Promise<string> {
  let code: string | undefined
  await expect(async () => {
    const answer = await fetch(`${inbox}/api/messages?to=${mobile}`)
    const { data } = (await answer.json()) as { data: { text: string }[] }
    code = /(?<!\w)\d{6}(?!\w)/.exec(data[0]?.text ?? '')?.[0]
    expect(code).toBeDefined()
  }).toPass(patient)
  return code ?? ''
}

/** From the page of the site to the account centre, whose sign-in page names the site, as a new user. */
async function signUp(journey: Journey): Promise<void> {
  const { page, app, name } = journey
  await page.goto(app)
  await control(page, 'Sign in').click()
  await expect(page.locator('.returns-to')).toContainText(`登录后将返回 ${name}`, patient)
  await signUpHere(journey)
}

/** On the sign-in page of the account centre. */
async function signUpHere(journey: Ground): Promise<void> {
  const { page } = journey
  const mobile = `139${String(randomInt(10 ** 8)).padStart(8, '0')}`
  await page.getByLabel('手机号', { exact: true }).fill(mobile)
  await button(page, '发送验证码').click()
  await page.getByLabel('短信验证码').fill(await codeTo(journey, mobile))
  // The terms of the demo; the last digit asks for them.
  await page.getByRole('dialog').getByRole('button', { name: '同意并继续' }).click()
}

async function claims(page: Page): Promise<Record<string, unknown>> {
  return JSON.parse((await page.locator('pre').textContent()) ?? '{}')
}

/** The id of the user who is signed in at the account centre. */
export async function userId({ page, web }: Ground): Promise<string> {
  const answer = await page.request.post(`${web}/api/user/info`, { headers: { origin: web }, data: {} })
  return ((await answer.json()) as { data: { id: string } }).data.id
}

const cookieNames = async ({ page, web }: Journey) => (await page.context().cookies(web)).map(({ name }) => name)
const signedOutAtCentre = (journey: Journey) =>
  expect.poll(() => cookieNames(journey), patient).not.toContain('__Host-hufu')

/** False where the site has no button for it. */
export async function refresh({ page }: Journey): Promise<boolean> {
  if (!(await button(page, 'Refresh').isVisible())) return false
  const { iat } = await claims(page)
  expect(iat, 'a site with Refresh shows iat').toEqual(expect.any(Number))
  // Time in tokens is in seconds.
  await page.waitForTimeout(1_100)
  await button(page, 'Refresh').click()
  await expect.poll(async () => (await claims(page)).iat, patient).not.toBe(iat)
  return true
}

/** Signs in at a site of the brand, which learns the number and the user id. */
export async function signIn(journey: Journey): Promise<void> {
  const { page } = journey
  await signUp(journey)
  await signedIn(page)
  expect(await claims(page)).toMatchObject({
    sub: await userId(journey),
    phone_number: expect.stringMatching(/^\+86139\d{8}$/),
  })
}

/** Agrees to what the site may learn but not to the number: it learns neither that nor the user id. */
export async function signInAsThirdParty(journey: Journey): Promise<void> {
  const { page } = journey
  await signUp(journey)
  await expect(page.getByRole('heading', { name: '授权登录' })).toBeVisible(patient)
  await page.getByRole('checkbox', { name: /手机号/ }).uncheck()
  await button(page, '同意并继续').click()
  await signedIn(page)
  const { sub, phone_number: phone } = await claims(page)
  expect(sub).toEqual(expect.any(String))
  expect(sub).not.toBe(await userId(journey))
  expect(phone).toBeUndefined()
}

/** Opens what a device shows as a new user, and approves it. */
export async function approveDevice(ground: Ground, link: string, name: string): Promise<void> {
  const { page } = ground
  await page.goto(link)
  await signUpHere(ground)
  await expect(page.locator('.facts')).toContainText(name, patient)
  await button(page, '确认登录').click()
  await expect(page.getByRole('heading', { name: '已确认登录' })).toBeVisible(patient)
}

/** Signs out at the site, and by that at the account centre. */
export async function signOut(journey: Journey): Promise<void> {
  const { page, app } = journey
  await control(page, 'Sign out').click()
  await signedOut(page)
  await expect(page).toHaveURL((address) => address.origin === app)
  await signedOutAtCentre(journey)
}

/** Signs out at the account centre, which notifies the site. */
export async function signOutAtCentre(journey: Journey): Promise<void> {
  const { page, app, web } = journey
  await page.goto(`${web}/user`)
  await button(page, '退出登录').click()
  await signedOutAtCentre(journey)
  await expect(async () => {
    await page.goto(app)
    await expect(page.getByRole('heading', { name: 'Not signed in' })).toBeVisible({ timeout: 500 })
  }).toPass(patient)
}
