import type { Page } from '@playwright/test'
import { expect, prefer, test } from './fixtures.ts'
import {
  checkByPassword,
  checkPath,
  createMember,
  enter,
  lookAround,
  misfits,
  openChange,
  password,
  themedFaults,
  wrongCode,
} from './member.ts'
import { giveSession } from './session.ts'

const send = (page: Page) => page.getByRole('button', { name: '发送验证码' })
const verify = (page: Page) => page.getByRole('button', { name: '验证', exact: true })
const smsCode = (page: Page) => page.getByLabel('短信验证码')
const sentCodes = (page: Page) => page.evaluate(() => sessionStorage.getItem('sent_codes') ?? '')
/** As when a tab becomes visible again. */
const lookAt = async (page: Page) => {
  await page.bringToFront()
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
}

test('S039 S043 S120 S121 S122 S123 S124 S125 S126 S383 S384 an SMS code completes the step-up and leads back', async ({
  page,
  product,
  codeTo,
}) => {
  const site = await product.site()
  const { mobile = '', ...member } = await createMember(site, ['mobile'])
  await enter(page, site, member)
  await openChange(page, '/user/changeMobile')
  await expect(page).toHaveURL(site.url + checkPath)
  await expect(page).toHaveTitle('身份验证')
  await expect(page.getByRole('heading', { name: '身份验证' })).toBeVisible()
  await expect(page.getByText('当前操作存在安全风险，需要进一步验证您的身份')).toBeVisible()
  const own = page.getByLabel('手机号', { exact: true })
  await expect(own).toHaveValue(mobile.replace(/^(...)(....)/, '$1 $2 '))
  await expect(page.getByText('+86', { exact: true })).toBeVisible()
  await expect(own).not.toBeEditable()
  await expect(smsCode(page)).toHaveCount(0)
  await expect(verify(page)).toHaveCount(0)
  await send(page).click()
  await expect(smsCode(page)).toBeFocused()
  await expect(verify(page)).toBeDisabled()
  await expect(page.getByText(/\d+ 秒后可重发/)).toBeVisible()
  expect(await sentCodes(page)).toMatch(/"expires":[1-9]/)
  await smsCode(page).fill(await codeTo(mobile))
  await expect(page).toHaveURL(`${site.url}/user/changeMobile`)
  await expect(page.getByText(`+86 ${mobile.replace(/^(...)(....)/, '$1 $2 ')}`)).toBeVisible()
  expect(await sentCodes(page)).not.toMatch(/"expires":[1-9]/)
})

test('S127 its back button leaves both pages; without enough history it leads to the user centre', async ({
  page,
  product,
}) => {
  const site = await product.site()
  await enter(page, site, await createMember(site))
  await page.locator('a[href="/user/device"]').click()
  await page.goBack()
  await openChange(page, '/user/changeEmail')
  await expect(page).toHaveURL(site.url + checkPath)
  await page.getByRole('button', { name: '返回' }).click()
  await expect(page).toHaveURL(`${site.url}/user`)
  await page.goto(`${site.url}/user/changeEmail`)
  await expect(page).toHaveURL(site.url + checkPath)
  await page.getByRole('button', { name: '返回' }).click()
  await expect(page).toHaveURL(`${site.url}/user`)
})

test('a double tap on its back button leaves both pages and no further', async ({ page, product, isMobile }) => {
  const site = await product.site()
  await enter(page, site, await createMember(site))
  await lookAround(page, isMobile)
  await openChange(page, '/user/changeEmail')
  await expect(page).toHaveURL(site.url + checkPath)
  const entries = () => page.evaluate(() => (history.state as { idx: number }).idx)
  const check = await entries()
  await page.getByRole('button', { name: '返回' }).dblclick()
  await expect(page).toHaveURL(`${site.url}/user`)
  // A second step back would have happened by now.
  await page.waitForTimeout(500)
  expect([await entries(), page.url()]).toEqual([check - 2, `${site.url}/user`])
})

test("the browser's back button is no trap, its forward button leads to the step-up again", async ({
  page,
  product,
}) => {
  const site = await product.site()
  await enter(page, site, await createMember(site))
  await openChange(page, '/user/changeUsername')
  await expect(page.getByLabel('登录密码', { exact: true })).toBeVisible()
  await page.goBack()
  await expect(page).toHaveURL(`${site.url}/user`)
  await page.goForward()
  await expect(page).toHaveURL(site.url + checkPath)
  await checkByPassword(page)
  await expect(page).toHaveURL(`${site.url}/user/changeUsername`)
  await page.goForward()
  await expect(page).toHaveURL(`${site.url}/user/changeUsername`)
  await expect(page.getByLabel('新用户名')).toBeVisible()
  await page.goBack()
  await expect(page).toHaveURL(`${site.url}/user`)
})

test('S331 S411 a wrong code shows the message as it is and typing clears it; five use the code up', {
  tag: '@full',
}, async ({ page, product, codeTo }) => {
  const site = await product.site()
  const { mobile = '', ...member } = await createMember(site, ['mobile'])
  await enter(page, site, member)
  await page.goto(site.url + checkPath)
  await send(page).click()
  const right = await codeTo(mobile)
  for (let tried = 0; tried < 5; tried++) {
    await smsCode(page).fill(wrongCode(right))
    await expect(page.getByRole('alert')).toHaveText('验证码不正确或已失效，请核对后重新输入')
    await smsCode(page).fill('')
    await expect(page.getByRole('alert')).toHaveCount(0)
  }
  await smsCode(page).fill(right)
  await expect(page.getByRole('alert')).toHaveText('验证码错误次数过多，请重新获取')
  await expect(page).toHaveURL(site.url + checkPath)
})

test('D058 without a mobile the step-up goes by e-mail code', { tag: '@full' }, async ({ page, product, codeTo }) => {
  const site = await product.site()
  const { email = '', ...member } = await createMember(site, ['email'])
  await enter(page, site, member)
  await openChange(page, '/user/changeUsername')
  await expect(page.getByLabel('电子邮箱', { exact: true })).toHaveValue(email)
  await expect(page.getByLabel('电子邮箱', { exact: true })).not.toBeEditable()
  await send(page).click()
  await page.getByLabel('邮箱验证码').fill(await codeTo(email))
  await expect(page).toHaveURL(`${site.url}/user/changeUsername`)
})

test('D058 S331 S411 without both it goes by password; over the limit a proof of work is solved unseen', {
  tag: '@full',
}, async ({ page, product }) => {
  const site = await product.site({ limits: { passwordFailures: 2 } })
  await enter(page, site, await createMember(site))
  await openChange(page, '/user/changeUsername')
  const field = page.getByLabel('登录密码', { exact: true })
  for (const wrong of ['Wrong#2026x', 'Wrong#2026y', 'Wrong#2026z']) {
    await field.fill(wrong)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('alert')).toHaveText('密码不正确，请核对后重新输入')
    await field.fill('')
    await expect(page.getByRole('alert')).toHaveCount(0)
  }
})

test('S337 a signed-out visitor is asked to sign in first', { tag: '@full' }, async ({ page, product }) => {
  const site = await product.site()
  await page.goto(site.url + checkPath)
  await expect(page.getByText('请先登录')).toBeVisible()
  await expect(page.getByText('当前操作存在安全风险')).toHaveCount(0)
})

test('D037 the step-up counts in this session only', { tag: '@full' }, async ({ page, product, browser }) => {
  const site = await product.site()
  const member = await createMember(site)
  await enter(page, site, member)
  await openChange(page, '/user/changeUsername')
  await checkByPassword(page)
  await expect(page.getByLabel('新用户名')).toBeVisible()
  const other = await browser.newPage()
  await enter(other, site, member)
  await openChange(other, '/user/changeUsername')
  await expect(other).toHaveURL(site.url + checkPath)
  await other.close()
})

test('a step-up made in one tab is noticed in the other', async ({ page, product, context }) => {
  const site = await product.site()
  await enter(page, site, await createMember(site))
  await openChange(page, '/user/changeUsername')
  await expect(page.getByLabel('登录密码', { exact: true })).toBeVisible()
  const other = await context.newPage()
  await other.goto(`${site.url}/user`)
  await openChange(other, '/user/changeEmail')
  await checkByPassword(other)
  await expect(other).toHaveURL(`${site.url}/user/changeEmail`)
  await lookAt(page)
  await expect(page).toHaveURL(`${site.url}/user/changeUsername`)
})

test('a reload in the middle keeps code field and countdown; the code still works', { tag: '@full' }, async ({
  page,
  product,
  codeTo,
}) => {
  const site = await product.site()
  const { mobile = '', ...member } = await createMember(site, ['mobile'])
  await enter(page, site, member)
  await openChange(page, '/user/changeUsername')
  await send(page).click()
  await expect(smsCode(page)).toBeVisible()
  const code = await codeTo(mobile)
  await page.reload()
  await expect(page.getByText(/\d+ 秒后可重发/)).toBeVisible()
  await smsCode(page).fill(code)
  await expect(page).toHaveURL(`${site.url}/user/changeUsername`)
})

test('on a slow network the buttons are busy, and a double tap sends once', { tag: '@full' }, async ({
  page,
  product,
  codeTo,
}) => {
  const site = await product.site()
  const { mobile = '', ...member } = await createMember(site, ['mobile'])
  await enter(page, site, member)
  const calls: string[] = []
  await page.route('**/api/user/twoFactor/*', async (route) => {
    calls.push(route.request().url().split('/').at(-1) ?? '')
    await new Promise((resolve) => setTimeout(resolve, 700))
    await route.continue()
  })
  await openChange(page, '/user/changeUsername')
  await expect(page.getByRole('status', { name: '正在加载' })).toBeVisible()
  await send(page).dblclick()
  await expect(send(page)).toHaveAttribute('aria-busy', 'true')
  await expect(smsCode(page)).toBeFocused()
  await smsCode(page).fill(await codeTo(mobile))
  await verify(page).click({ force: true })
  await expect(page).toHaveURL(`${site.url}/user/changeUsername`)
  expect(calls).toEqual(['state', 'sendMobileCode', 'verify'])
})

test('D053 where a proof of work is asked before a send it is solved unseen', { tag: '@full' }, async ({
  page,
  product,
  codeTo,
}) => {
  const site = await product.site({
    limits: { addressProof: 0, addressHour: 1000, receiverHour: 1000, receiverDay: 1000 },
  })
  const { mobile = '', ...member } = await createMember(site, ['mobile'])
  await enter(page, site, member)
  await openChange(page, '/user/changeUsername')
  await send(page).click()
  await smsCode(page).fill(await codeTo(mobile))
  await expect(page).toHaveURL(`${site.url}/user/changeUsername`)
})

test.describe('a new browser', () => {
  test('D073 signed in by an SMS code, it needs one more kind of identity proof before the number can be changed', async ({
    page,
    product,
    codeTo,
  }) => {
    const site = await product.site()
    const { id, mobile = '', email = '' } = await createMember(site, ['mobile', 'email'])
    await giveSession(page, site, id, { method: 'mobile' })
    await page.goto(`${site.url}/user`)
    await openChange(page, '/user/changeMobile')
    await expect(page.getByText('第 1 步，共 2 步')).toBeVisible()
    await send(page).click()
    await expect(smsCode(page)).toBeVisible()
    await smsCode(page).fill(await codeTo(mobile))
    await expect(page.getByText('此浏览器首次登录未满72小时，此操作还需再验证一项')).toBeVisible()
    await page.getByLabel('登录密码', { exact: true }).fill('Wrong#2026x')
    await verify(page).click()
    await expect(page.getByRole('alert')).toHaveText('密码不正确，请核对后重新输入')
    await page.getByRole('radio', { name: '邮箱验证' }).check()
    await expect(page.getByLabel('电子邮箱', { exact: true })).toHaveValue(email)
    await send(page).click()
    await page.getByLabel('邮箱验证码').fill(await codeTo(email))
    await expect(page).toHaveURL(`${site.url}/user/changeMobile`)
    await expect(page.getByLabel('新手机号')).toBeVisible()
  })

  test('D073 other pages are open after the first kind; the number asks for the second alone', {
    tag: '@full',
  }, async ({ page, product, codeTo }) => {
    const site = await product.site()
    const { id, mobile = '' } = await createMember(site, ['mobile'])
    await giveSession(page, site, id, { method: 'mobile' })
    await page.goto(`${site.url}/user`)
    await openChange(page, '/user/changeUsername')
    await send(page).click()
    await expect(smsCode(page)).toBeVisible()
    await smsCode(page).fill(await codeTo(mobile))
    await expect(page.getByLabel('新用户名')).toBeVisible()
    await page.getByRole('button', { name: '返回' }).click()
    await openChange(page, '/user/changeMobile')
    await expect(page.getByText('第 2 步，共 2 步')).toBeVisible()
    await page.getByLabel('登录密码', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(`${site.url}/user/changeMobile`)
    await expect(page.getByLabel('新手机号')).toBeVisible()
  })
})

test('the keyboard alone completes the step-up', async ({ page, product, codeTo, isMobile }) => {
  test.skip(isMobile, 'phones have no keyboard')
  const site = await product.site()
  const { mobile = '', ...member } = await createMember(site, ['mobile'])
  await enter(page, site, member)
  await page.locator('a[href="/user/changeUsername"]').focus()
  await page.keyboard.press('Enter')
  await expect(send(page)).toBeVisible()
  const focused = () => send(page).evaluate((element) => element === document.activeElement)
  for (let tabs = 0; tabs < 4 && !(await focused()); tabs++) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(smsCode(page)).toBeFocused()
  await page.keyboard.type(await codeTo(mobile))
  await expect(page.getByLabel('新用户名')).toBeFocused()
})

test('axe finds nothing in the states of the step-up, in light and dark', async ({ page, product, codeTo }) => {
  const site = await product.site()
  const { id, mobile = '' } = await createMember(site, ['mobile', 'email'])
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await giveSession(page, site, id, { method: 'mobile' })
  await page.goto(`${site.url}/user`)
  await openChange(page, '/user/changeMobile')
  await expect(send(page)).toBeVisible()
  expect(await themedFaults(page), 'before').toEqual([])
  await send(page).click()
  await expect(smsCode(page)).toBeVisible()
  const code = await codeTo(mobile)
  await smsCode(page).fill(wrongCode(code))
  await expect(page.getByRole('alert')).toBeVisible()
  expect(await themedFaults(page), 'refused').toEqual([])
  await smsCode(page).fill(code)
  await expect(page.getByText('第 2 步，共 2 步')).toBeVisible()
  expect(await themedFaults(page), 'second').toEqual([])
})

test('nothing overlaps or is too small to touch at font size 18 on 360 px', async ({ page, product }) => {
  const site = await product.site()
  const member = await createMember(site, ['mobile'])
  await prefer(page, { fontSize: 18 })
  await page.setViewportSize({ width: 360, height: 740 })
  await enter(page, site, member)
  await openChange(page, '/user/changeUsername')
  await expect(send(page)).toBeVisible()
  expect(await misfits(page)).toEqual([])
  await send(page).click()
  await expect(smsCode(page)).toBeVisible()
  expect(await misfits(page)).toEqual([])
})
