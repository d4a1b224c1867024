import { passwordSymbols } from '@hufu/contract/account-rules'
import type { Page } from '@playwright/test'
import { expect, freshMobile, holdBack, prefer, test } from './fixtures.ts'
import {
  checkByPassword,
  checkPath,
  createMember,
  enter,
  enterByPassword,
  enterChange,
  lookAround,
  misfits,
  openChange,
  password,
  runOut,
  themedFaults,
  wrongCode,
} from './member.ts'

const newPassword = 'Winter@2027x'
const titles = {
  '/user/changeMobile': '修改手机号',
  '/user/changePassword': '修改密码',
  '/user/changeEmail': '修改电子邮箱',
  '/user/changeUsername': '修改用户名',
}
const freshEmail = () => `n${freshMobile()}@example.com`
const send = (page: Page) => page.getByRole('button', { name: '发送验证码' })
const confirm = (page: Page) => page.getByRole('button', { name: '确认修改' })
const alert = (page: Page) => page.getByRole('alert')
const emailField = (page: Page) => page.getByLabel('新电子邮箱')
const emailCode = (page: Page) => page.getByLabel('邮箱验证码')
const mobileField = (page: Page) => page.getByLabel('新手机号')
const smsCode = (page: Page) => page.getByLabel('短信验证码')
const usernameField = (page: Page) => page.getByLabel('新用户名')
const passwordField = (page: Page) => page.getByLabel('新密码', { exact: true })
const repeatField = (page: Page) => page.getByLabel('确认新密码')
const row = (page: Page, path: string) => page.locator(`a[href="${path}"]`)

async function sendEmail(page: Page, email: string) {
  await emailField(page).fill(email)
  await send(page).click()
  await expect(emailCode(page)).toBeVisible()
}
async function sendMobile(page: Page, mobile: string) {
  await mobileField(page).fill(mobile)
  await send(page).click()
  await expect(smsCode(page)).toBeVisible()
}
/** The change is made, confirmed, and the browser is back where the page was opened. */
async function expectChanged(page: Page, url: string) {
  await expect(page.getByText('修改成功')).toBeVisible()
  await expect(page).toHaveURL(`${url}/user`)
}

test('who leaves while a change is on its way stays where they went', async ({ page, product, isMobile }) => {
  const site = await product.site()
  await enter(page, site, await createMember(site))
  await lookAround(page, isMobile)
  await openChange(page, '/user/changeUsername')
  await checkByPassword(page)
  await usernameField(page).fill(`n${freshMobile()}`)
  const release = await holdBack(page, '**/changeUsername')
  await confirm(page).click()
  await page.getByRole('button', { name: '返回' }).click()
  await expect(page).toHaveURL(`${site.url}/user`)
  release()
  await expectChanged(page, site.url)
  // A second step back would have happened by now.
  await page.waitForTimeout(500)
  expect(page.url()).toBe(`${site.url}/user`)
})

for (const [path, title] of Object.entries(titles)) {
  test(`S035 S036 S037 S038 S039 S040 S041 S042 S099 S108 ${path}: a check first, then the page ${title}`, {
    tag: '@full',
  }, async ({ page, product }) => {
    const site = await product.site()
    await enterChange(page, site, await createMember(site), path)
    await expect(page).toHaveTitle(title)
    await expect(page.getByRole('heading', { name: title })).toBeVisible()
  })

  test(`S113 S335 ${path} asks a signed-out visitor first`, { tag: '@full' }, async ({ page, product }) => {
    const site = await product.site()
    await page.goto(site.url + path)
    await expect(page.getByText('请先登录')).toBeVisible()
    await expect(page.getByRole('textbox')).toHaveCount(0)
    await expect(page).toHaveURL(site.url + path)
  })
}

test('S100 S102 S103 S104 S105 S106 S107 S387 D060 a new e-mail address, proved by a code, counts at once', async ({
  page,
  product,
  codeTo,
}) => {
  const site = await product.site()
  const email = freshEmail()
  await enterChange(page, site, await createMember(site), '/user/changeEmail')
  await expect(page.getByText('修改后立即生效')).toBeVisible()
  await expect(page.getByText('未设置')).toBeVisible()
  await expect(emailCode(page)).toHaveCount(0)
  await expect(confirm(page)).toHaveCount(0)
  await sendEmail(page, email)
  await expect(page.getByText(/\d+ 秒后可重发/)).toBeVisible()
  await expect(confirm(page)).toBeDisabled()
  await emailCode(page).fill(await codeTo(email))
  await confirm(page).click()
  await expectChanged(page, site.url)
  await expect(row(page, '/user/changeEmail')).toContainText('@example.com')
  await openChange(page, '/user/changeEmail')
  await expect(page.getByText(email)).toBeVisible()
})

test('S101 S329 S408 D060 the present address; a taken one and wrong codes are reported at their field until edited', {
  tag: '@full',
}, async ({ page, product, codeTo }) => {
  const site = await product.site()
  const member = await createMember(site, ['email'])
  const { email: taken = '' } = await createMember(site, ['email'])
  await enter(page, site, member)
  await openChange(page, '/user/changeEmail')
  await send(page).click()
  await emailCode(page).fill(await codeTo(member.email ?? ''))
  await expect(page.locator('.current')).toContainText(member.email ?? '')
  await sendEmail(page, taken)
  const code = await codeTo(taken)
  await emailCode(page).fill(wrongCode(code))
  await confirm(page).click()
  await expect(alert(page)).toHaveText('验证码不正确或已失效，请核对后重新输入')
  await expect(emailCode(page)).toHaveAttribute('aria-invalid', 'true')
  await emailCode(page).fill(code)
  await expect(alert(page)).toHaveCount(0)
  await confirm(page).click()
  await expect(alert(page)).toHaveText('该电子邮箱已被其他账号使用')
  await expect(emailField(page)).toHaveAttribute('aria-invalid', 'true')
  await emailField(page).fill('not an address@')
  await expect(alert(page)).toHaveCount(0)
  await expect(emailCode(page)).toHaveCount(0)
  await expect(confirm(page)).toHaveCount(0)
  await emailField(page).fill('a@b')
  await send(page).click()
  await expect(alert(page)).toHaveText('电子邮箱格式不正确，请检查后重试')
})

test('S109 S110 S111 S112 S388 D038 D060 a username: the present one, its rule, taken, and back one page', {
  tag: '@full',
}, async ({ page, product }) => {
  const site = await product.site()
  const member = await createMember(site)
  const other = await createMember(site)
  await enterChange(page, site, member, '/user/changeUsername')
  await expect(page.getByText(member.username)).toBeVisible()
  await expect(page.getByText('4-20位字母、数字或下划线，以字母开头')).toBeVisible()
  for (const [typed, message] of [
    ['1abc', '用户名须为4-20位字母、数字或下划线，以字母开头'],
    [other.username.toUpperCase(), '该用户名已被使用，请换一个'],
    [member.username, '与当前使用的相同，无需修改'],
  ] as const) {
    await usernameField(page).fill(typed)
    await expect(alert(page)).toHaveCount(0)
    await confirm(page).click()
    await expect(alert(page)).toHaveText(message)
  }
  const name = `Lin_${freshMobile()}`
  await usernameField(page).fill(name)
  await confirm(page).click()
  await expectChanged(page, site.url)
  await expect(row(page, '/user/changeUsername')).toContainText(name)
})

test('S110 S330 S410 without a username it says 未设置; a server error goes with the first edit', {
  tag: '@full',
}, async ({ page, product, codeTo }) => {
  const site = await product.site()
  const mobile = freshMobile()
  await enter(page, site, { id: await site.createUser({ mobile, password }) })
  await openChange(page, '/user/changeUsername')
  await send(page).click()
  await smsCode(page).fill(await codeTo(mobile))
  await expect(page.getByText('未设置')).toBeVisible()
  await usernameField(page).fill('ab')
  await confirm(page).click()
  await expect(alert(page)).toHaveText('用户名须为4-20位字母、数字或下划线，以字母开头')
  await usernameField(page).press('End')
  await usernameField(page).pressSequentially('c')
  await expect(alert(page)).toHaveCount(0)
})

test('S114 S115 S116 S385 D060 a new number with its prefix, proved by a code', { tag: '@full' }, async ({
  page,
  product,
  codeTo,
}) => {
  const site = await product.site({ regions: ['CN', 'HK'] })
  const mobile = freshMobile()
  await enterChange(page, site, await createMember(site), '/user/changeMobile')
  await expect(mobileField(page)).toHaveAttribute('type', 'tel')
  const prefix = page.getByLabel('国家或地区代码')
  await prefix.selectOption({ label: '中国香港 +852' })
  await expect(prefix).toHaveValue('HK')
  await prefix.selectOption({ label: '中国大陆 +86' })
  await sendMobile(page, mobile)
  await expect(smsCode(page)).toHaveAttribute('maxlength', '6')
  await smsCode(page).fill(await codeTo(mobile))
  await confirm(page).click()
  await expectChanged(page, site.url)
  await expect(row(page, '/user/changeMobile')).toContainText(mobile.slice(-4))
})

test('S327 S407 D060 on the mobile page a taken number, a wrong code and an impossible number are reported until edited', {
  tag: '@full',
}, async ({ page, product, codeTo }) => {
  const site = await product.site()
  const { mobile: taken = '' } = await createMember(site, ['mobile'])
  await enterChange(page, site, await createMember(site), '/user/changeMobile')
  await mobileField(page).fill('12345')
  await send(page).click()
  await expect(alert(page)).toHaveText('手机号格式不正确，请检查后重试')
  await mobileField(page).fill('123456')
  await expect(alert(page)).toHaveCount(0)
  await sendMobile(page, taken)
  const code = await codeTo(taken)
  await smsCode(page).fill(wrongCode(code))
  await confirm(page).click()
  await expect(alert(page)).toHaveText('验证码不正确或已失效，请核对后重新输入')
  await smsCode(page).fill(code)
  await expect(alert(page)).toHaveCount(0)
  await confirm(page).click()
  await expect(alert(page)).toHaveText('该手机号已被其他账号使用')
  await mobileField(page).fill(freshMobile())
  await expect(alert(page)).toHaveCount(0)
  await expect(smsCode(page)).toHaveCount(0)
})

test('S117 S118 S119 S297 S298 S299 S300 S301 S302 S303 S304 the rules of a password, one by one as it is typed', async ({
  page,
  product,
}) => {
  const site = await product.site()
  await enterChange(page, site, await createMember(site), '/user/changePassword')
  await expect(passwordField(page)).toHaveAttribute('autocomplete', 'new-password')
  await expect(repeatField(page)).toHaveAttribute('autocomplete', 'new-password')
  const rule = (words: string) => page.getByRole('listitem').filter({ hasText: words })
  const both = async (text: string, repeated = text) => {
    await passwordField(page).fill(text)
    await repeatField(page).fill(repeated)
  }
  const length = '密码长度为8-16位'
  const contain = '密码必须包含数字、字母和符号'
  const symbols = `符号仅支持：${passwordSymbols}`
  for (const [text, message] of [
    ['Qy#2026', length],
    ['Qy#2026autumnabcd', length],
    ['Qy#autumn', contain],
    ['2026#1234', contain],
    ['Qy2026autumn', contain],
    ['Qy#2026`autumn', symbols],
    ['Qy#2026密码', symbols],
  ] as const) {
    await both(text)
    await expect(rule(message), text).toContainText('未满足')
    await expect(rule(message), text).toHaveClass('broken')
    await expect(confirm(page), text).toHaveCount(0)
  }
  await both('Qy#2026autumn', 'Qy#2026winter')
  await expect(rule('两次输入的密码不一致')).toHaveClass('broken')
  await expect(confirm(page)).toHaveCount(0)
  for (const text of ['Qy#2026a', 'Qy#2026autumnabc', ...[...passwordSymbols].map((symbol) => `Autumn26${symbol}`)]) {
    await both(text)
    await expect(confirm(page), text).toBeVisible()
  }
  await passwordField(page).fill('Autumn26')
  await expect(confirm(page)).toHaveCount(0)
})

test('S386 D036 D060 a new password counts at once and ends the other sessions', { tag: '@full' }, async ({
  page,
  product,
  browser,
}) => {
  const site = await product.site()
  const member = await createMember(site)
  const other = await browser.newPage()
  await enter(other, site, member)
  await enterChange(page, site, member, '/user/changePassword')
  await expect(page.getByText('其他设备需要使用新密码重新登录')).toBeVisible()
  await passwordField(page).fill(newPassword)
  await repeatField(page).fill(newPassword)
  await confirm(page).click()
  await expectChanged(page, site.url)
  await other.reload()
  await expect(other.getByText('已下线，请重新登录')).toBeVisible()
  await enterByPassword(other, site, member, newPassword)
  await other.close()
})

test('S328 S409 a server error on the password page is shown as it is until a field is edited', {
  tag: '@full',
}, async ({ page, product }) => {
  const site = await product.site()
  await enterChange(page, site, await createMember(site), '/user/changePassword')
  await page.route('**/api/user/account/changePassword', (route) => route.abort())
  await passwordField(page).fill(newPassword)
  await repeatField(page).fill(newPassword)
  await confirm(page).click()
  await expect(alert(page)).toHaveText('网络异常，请稍后再试')
  await expect(passwordField(page)).toHaveValue(newPassword)
  await repeatField(page).fill('W')
  await expect(alert(page)).toHaveCount(0)
})

test.describe('D059 a check that runs out in mid-form', () => {
  test('e-mail: address, code and countdown are still there', async ({ page, product, codeTo }) => {
    const site = await product.site()
    const email = freshEmail()
    await enterChange(page, site, await createMember(site), '/user/changeEmail')
    await sendEmail(page, email)
    const code = await codeTo(email)
    await emailCode(page).fill(code)
    await runOut(site)
    await confirm(page).click()
    await expect(page).toHaveURL(site.url + checkPath)
    await checkByPassword(page)
    await expect(page).toHaveURL(`${site.url}/user/changeEmail`)
    await expect(emailField(page)).toHaveValue(email)
    await expect(emailCode(page)).toHaveValue(code)
    await confirm(page).click()
    await expectChanged(page, site.url)
  })

  test('mobile: number and code are still there', { tag: '@full' }, async ({ page, product, codeTo }) => {
    const site = await product.site()
    const mobile = freshMobile()
    await enterChange(page, site, await createMember(site), '/user/changeMobile')
    await sendMobile(page, mobile)
    const code = await codeTo(mobile)
    await smsCode(page).fill(code)
    await runOut(site)
    await confirm(page).click()
    await expect(page).toHaveURL(site.url + checkPath)
    await checkByPassword(page)
    await expect(smsCode(page)).toHaveValue(code)
    await confirm(page).click()
    await expectChanged(page, site.url)
  })

  test('username and password are still there; leaving the step-up instead forgets them', { tag: '@full' }, async ({
    page,
    product,
  }) => {
    const site = await product.site()
    await enterChange(page, site, await createMember(site), '/user/changePassword')
    await passwordField(page).fill(newPassword)
    await repeatField(page).fill(newPassword)
    await runOut(site)
    await confirm(page).click()
    await expect(page).toHaveURL(site.url + checkPath)
    expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain(
      newPassword,
    )
    await page.getByRole('button', { name: '返回' }).click()
    await openChange(page, '/user/changeUsername')
    await expect(page).toHaveURL(site.url + checkPath)
    await checkByPassword(page)
    await usernameField(page).fill('half_written')
    await runOut(site)
    await confirm(page).click()
    await expect(page).toHaveURL(site.url + checkPath)
    await checkByPassword(page)
    await expect(usernameField(page)).toHaveValue('half_written')
    await page.getByRole('button', { name: '返回' }).click()
    await openChange(page, '/user/changePassword')
    await expect(passwordField(page)).toHaveValue('')
  })
})

test('a reload in the middle keeps address and countdown; editing the address starts over', async ({
  page,
  product,
  codeTo,
}) => {
  const site = await product.site()
  const email = freshEmail()
  await enterChange(page, site, await createMember(site), '/user/changeEmail')
  await sendEmail(page, email)
  const code = await codeTo(email)
  await page.reload()
  await expect(emailField(page)).toHaveValue(email)
  await expect(page.getByText(/\d+ 秒后可重发/)).toBeVisible()
  await emailField(page).fill(freshEmail())
  await expect(emailCode(page)).toHaveCount(0)
  await expect(send(page)).toBeEnabled()
  await emailField(page).fill(email)
  await emailCode(page).fill(code)
  await confirm(page).click()
  // The document's first page has nothing of ours behind it any more, or the user centre: both end there.
  await expectChanged(page, site.url)
})

test('after signing out the address is not left in the form for other users', { tag: '@full' }, async ({
  page,
  product,
}) => {
  const site = await product.site()
  const next = await createMember(site)
  await enterChange(page, site, await createMember(site), '/user/changeEmail')
  await sendEmail(page, freshEmail())
  await page.getByRole('button', { name: '返回' }).click()
  await page.getByRole('button', { name: '退出登录' }).click()
  await expect(page.getByText('未登录')).toBeVisible()
  await enterChange(page, site, next, '/user/changeEmail')
  await expect(emailField(page)).toHaveValue('')
})

test('opened by its address alone, a change ends in the user centre', async ({ page, product }) => {
  const site = await product.site()
  await enter(page, site, await createMember(site))
  await page.goto(`${site.url}/user/changeUsername`)
  await checkByPassword(page)
  await usernameField(page).fill(`lin${freshMobile()}`)
  await confirm(page).click()
  await expectChanged(page, site.url)
})

test('on a slow network the button is busy, a double tap changes once, and going back one page is one page', {
  tag: '@full',
}, async ({ page, product }) => {
  const site = await product.site()
  await enterChange(page, site, await createMember(site), '/user/changeUsername')
  let calls = 0
  await page.route('**/api/user/account/changeUsername', async (route) => {
    calls++
    await new Promise((resolve) => setTimeout(resolve, 700))
    await route.continue()
  })
  await usernameField(page).fill(`lin${freshMobile()}`)
  await confirm(page).dblclick()
  await expect(confirm(page)).toHaveAttribute('aria-busy', 'true')
  await usernameField(page).press('Enter')
  await expectChanged(page, site.url)
  expect(calls).toBe(1)
})

test('the keyboard alone changes the password', async ({ page, product, isMobile }) => {
  test.skip(isMobile, 'phones have no keyboard')
  const site = await product.site()
  await enter(page, site, await createMember(site))
  await row(page, '/user/changePassword').focus()
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('登录密码', { exact: true })).toBeFocused()
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await expect(passwordField(page)).toBeFocused()
  await page.keyboard.type(newPassword)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type(newPassword)
  await page.keyboard.press('Enter')
  await expectChanged(page, site.url)
})

test('axe finds nothing on the change pages, in light and dark', async ({ page, product, codeTo }) => {
  const site = await product.site()
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await enterChange(page, site, await createMember(site), '/user/changePassword')
  await passwordField(page).fill('Qy#')
  await repeatField(page).fill('密')
  expect(await themedFaults(page), 'weak password').toEqual([])
  await passwordField(page).fill(newPassword)
  await repeatField(page).fill(newPassword)
  expect(await themedFaults(page), 'good password').toEqual([])
  await page.goto(`${site.url}/user/changeUsername`)
  await usernameField(page).fill('1')
  await confirm(page).click()
  await expect(alert(page)).toBeVisible()
  expect(await themedFaults(page), 'username').toEqual([])
  await page.goto(`${site.url}/user/changeMobile`)
  await expect(mobileField(page)).toBeVisible()
  expect(await themedFaults(page), 'mobile').toEqual([])
  await page.goto(`${site.url}/user/changeEmail`)
  const email = freshEmail()
  await sendEmail(page, email)
  await emailCode(page).fill(wrongCode(await codeTo(email)))
  await confirm(page).click()
  await expect(alert(page)).toBeVisible()
  expect(await themedFaults(page), 'e-mail').toEqual([])
})

test('nothing overlaps or is too small to touch at font size 18 on 360 px', async ({ page, product }) => {
  const site = await product.site()
  await prefer(page, { fontSize: 18 })
  await page.setViewportSize({ width: 360, height: 740 })
  await enterChange(page, site, await createMember(site), '/user/changePassword')
  await passwordField(page).fill(newPassword)
  await repeatField(page).fill(newPassword)
  expect(await misfits(page), 'password').toEqual([])
  for (const [path, field] of [
    ['/user/changeUsername', usernameField(page)],
    ['/user/changeMobile', mobileField(page)],
    ['/user/changeEmail', emailField(page)],
  ] as const) {
    await page.goto(site.url + path)
    await expect(field).toBeVisible()
    expect(await misfits(page), path).toEqual([])
  }
  await sendEmail(page, freshEmail())
  expect(await misfits(page), 'sent').toEqual([])
})
