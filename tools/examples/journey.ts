import { randomInt } from 'node:crypto'
import { expect, type Page } from '@playwright/test'

export interface Journey {
  page: Page
  /** The site that signs its users in through the account centre. */
  app: string
  web: string
  inbox: string
}

const patient = { timeout: 20_000 }
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const signedIn = (page: Page) => expect(page.getByRole('heading', { name: 'Signed in' })).toBeVisible(patient)
const signedOut = (page: Page) => expect(page.getByRole('heading', { name: 'Not signed in' })).toBeVisible(patient)

async function codeTo({ inbox }: Journey, mobile: string): Promise<string> {
  let code: string | undefined
  await expect(async () => {
    const answer = await fetch(`${inbox}/api/messages?to=${mobile}`)
    const { data } = (await answer.json()) as { data: { text: string }[] }
    code = /(?<!\w)\d{6}(?!\w)/.exec(data[0]?.text ?? '')?.[0]
    expect(code).toBeDefined()
  }).toPass(patient)
  return code ?? ''
}

/** A new user, on the sign-in page of the account centre, which names the site. */
async function signUp(journey: Journey, name: string): Promise<void> {
  const { page } = journey
  const mobile = `139${String(randomInt(10 ** 8)).padStart(8, '0')}`
  await expect(page.locator('.returns-to')).toContainText(`登录后将返回 ${name}`, patient)
  await page.getByLabel('手机号', { exact: true }).fill(mobile)
  await button(page, '发送验证码').click()
  await page.getByLabel('短信验证码').fill(await codeTo(journey, mobile))
  await button(page, '登录').click()
  // The terms of the demo.
  await page.getByRole('dialog').getByRole('button', { name: '同意并继续' }).click()
}

async function claims(page: Page): Promise<Record<string, unknown>> {
  return JSON.parse((await page.locator('pre').textContent()) ?? '{}')
}

const cookieNames = async ({ page, web }: Journey) => (await page.context().cookies(web)).map(({ name }) => name)

/** Signs in, renews the tokens, signs out on the site and, after another sign-in, at the account centre. Answers the subject. */
export async function signInAndOut(journey: Journey): Promise<unknown> {
  const { page, app, web } = journey
  await page.goto(app)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await signUp(journey, '海风书店')
  await signedIn(page)
  const { sub, phone_number: phone, iat } = await claims(page)
  expect(phone).toMatch(/^\+86139\d{8}$/)
  // Time in tokens is in seconds.
  await page.waitForTimeout(1_100)
  await button(page, 'Refresh').click()
  await expect.poll(async () => (await claims(page)).iat, patient).not.toBe(iat)
  await button(page, 'Sign out').click()
  await signedOut(page)
  await expect(page).toHaveURL(`${app}/`)
  expect(await cookieNames(journey)).not.toContain('__Host-hufu')

  await page.getByRole('link', { name: 'Sign in' }).click()
  await signUp(journey, '海风书店')
  await signedIn(page)
  await page.goto(`${web}/user`)
  await button(page, '退出登录').click()
  await expect.poll(() => cookieNames(journey), patient).not.toContain('__Host-hufu')
  await expect(async () => {
    await page.goto(app)
    await expect(page.getByRole('heading', { name: 'Not signed in' })).toBeVisible({ timeout: 500 })
  }).toPass(patient)
  return sub
}

/** Signs in, agrees to what the site may learn but not to the number, and signs out. Answers the subject. */
export async function signInAsThirdParty({ page, ...journey }: Journey): Promise<unknown> {
  await page.goto(journey.app)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await signUp({ page, ...journey }, '读者俱乐部')
  await expect(page.getByRole('heading', { name: '授权登录' })).toBeVisible(patient)
  await page.getByRole('checkbox', { name: /手机号/ }).uncheck()
  await button(page, '同意并继续').click()
  await signedIn(page)
  const { sub, phone_number: phone } = await claims(page)
  expect(phone).toBeUndefined()
  await button(page, 'Refresh').click()
  await signedIn(page)
  await button(page, 'Sign out').click()
  await signedOut(page)
  return sub
}
