import type { Browser, Page } from '@playwright/test'
import { test as base, expect, prefer, type StorySite } from './fixtures.ts'
import {
  checkByPassword,
  createMember,
  enter,
  enterByPassword,
  type Member,
  misfits,
  openEmpty,
  password,
  themedFaults,
} from './member.ts'

const newPassword = 'Winter@2027x'
const edge =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0'

const test = base.extend<{
  /** The link in the newest mail to an address that reports a sign-in. */
  linkTo: (email: string) => Promise<string>
}>({
  linkTo: async ({ findSent }, use) => {
    await use((email) => findSent(email, /http\S+\/disown\/[\w-]{43}/))
  },
})

const rows = (page: Page) => page.locator('li.happening')
const notMe = (page: Page) => page.getByRole('button', { name: /^不是我/ })
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })
const seen = (page: Page, words: string) => page.getByText(words).filter({ visible: true }).first()
const step = (page: Page, title: string) => page.getByRole('listitem').filter({ hasText: title })

/** Another browser that signs in with the same password; it is notified at once when that session ends. */
async function otherBrowser(browser: Browser, site: StorySite, member: Member) {
  const context = await browser.newContext({ userAgent: edge })
  const page = await context.newPage()
  const streaming = page.waitForResponse('**/api/events')
  await enter(page, site, member)
  await streaming
  return page
}

/** The very next call is refused, and the page was notified by itself. */
async function expectOut(page: Page) {
  const status = await page.evaluate(() => fetch('/api/user/info', { method: 'POST' }).then((answer) => answer.status))
  expect(status).toBe(401)
  await expect(seen(page, '已下线，请重新登录')).toBeVisible()
}

/** Signed in here first, then elsewhere, and looking at the history. */
async function visited(page: Page, browser: Browser, site: StorySite) {
  const member = await createMember(site, ['email'])
  await enter(page, site, member)
  const other = await otherBrowser(browser, site, member)
  await page.locator('a[href="/user/security"]').click()
  await expect(rows(page)).toHaveCount(2)
  return { member, other }
}

/** Three wrong passwords from a browser that the account doesn't know. */
async function guessThrice(browser: Browser, site: StorySite, { username }: Member) {
  const page = await browser.newPage()
  await openEmpty(page, site)
  const body = JSON.stringify({ account: username, password: 'Wrong#2026x' })
  for (let tries = 0; tries < 3; tries++) {
    await page.evaluate((text) => {
      const headers = { 'content-type': 'application/json' }
      return fetch('/api/login/password', { method: 'POST', headers, body: text }).then(({ status }) => status)
    }, body)
  }
  await page.close()
}

async function typePassword(page: Page) {
  await page.getByLabel('新密码', { exact: true }).fill(newPassword)
  await page.getByLabel('确认新密码').fill(newPassword)
  await page.getByRole('button', { name: '确认修改' }).click()
}

test('a visitor is asked to sign in, in place', { tag: '@full' }, async ({ page, product }) => {
  const site = await product.site()
  for (const path of ['/user/security', '/user/protect']) {
    await page.goto(site.url + path)
    await expect(seen(page, '请先登录')).toBeVisible()
    const link = page.getByRole('link', { name: '立即登录' })
    await expect(link).toHaveAttribute('href', `/login/${encodeURIComponent(path)}`)
  }
})

test('the history shows sign-ins and failures in words, this browser marked', async ({ page, product, browser }) => {
  const site = await product.site()
  const member = await createMember(site)
  await enterByPassword(page, site, member)
  await guessThrice(browser, site, member)
  await page.locator('a[href="/user/security"]').click()
  await expect(page).toHaveTitle('安全记录')
  await expect(page.getByRole('heading', { name: /^(今天|昨天)$/ }).first()).toBeVisible()
  await expect(
    rows(page)
      .filter({ hasText: /密码错误( \d 次)?/ })
      .first(),
  ).toHaveClass(/warn/)
  const here = rows(page).filter({ hasText: '本机' })
  await expect(here).toHaveCount(1)
  await expect(here).toContainText('登录密码')
  await expect(here).toContainText('Chrome')
  await expect(here).toContainText('127.0.0.1')
  await expect(notMe(page)).toHaveCount(0)
  await page.goto(`${site.url}/user/onlineDevices`)
  await page.getByRole('link', { name: '查看安全记录' }).click()
  await expect(page).toHaveURL(`${site.url}/user/security`)
})

test('不是我 in the history ends that browser at once and leads to the protection', async ({
  page,
  product,
  browser,
}) => {
  const site = await product.site()
  const { other } = await visited(page, browser, site)
  await notMe(page).click()
  await expect(page.getByRole('dialog')).toContainText('该设备将立即下线，下次登录需要更多验证')
  await inDialog(page, '取消').click()
  await expect(seen(other, '请重新登录')).toHaveCount(0)
  await notMe(page).click()
  await inDialog(page, '立即下线').click()
  await expect(page.locator('.toast', { hasText: '已下线该设备' })).toBeVisible()
  await expectOut(other)
  await expect(page).toHaveURL(`${site.url}/user/protect`)
  await expect(step(page, '查看登录设备')).toContainText('没有')
  await page.goBack()
  await expect(rows(page).filter({ hasText: '非本人' }).first()).toHaveClass(/bad/)
  await expect(rows(page).first()).toContainText('标记非本人登录')
  await expect(notMe(page)).toHaveCount(0)
  await other.context().close()
})

test('a mail about a new device: 不是我 by any holder of the link, then sign in and a new password', async ({
  page,
  product,
  browser,
  linkTo,
  codeTo,
}) => {
  test.slow()
  const site = await product.site()
  const member = await createMember(site, ['email'])
  const first = await browser.newContext()
  const owner = await first.newPage()
  await enter(owner, site, member)
  const thief = await otherBrowser(browser, site, member)
  const link = await linkTo(member.email ?? '')
  expect(link).toContain(`${site.url}/disown/`)

  await page.goto(link)
  await expect(page).toHaveTitle('登录提醒')
  await expect(page.getByRole('heading', { name: '这次登录是您本人吗？' })).toBeVisible()
  await expect(page.getByText('Microsoft Edge 141')).toBeVisible()
  await expect(page.getByText('IP 127.0.0.1')).toBeVisible()
  // A scanner opens the link and taps nothing; a user may tap the wrong thing.
  await page.getByRole('button', { name: '是我本人' }).click()
  await expect(page.getByRole('heading', { name: '感谢您的确认' })).toBeVisible()
  await page.reload()
  await expect(seen(thief, '请重新登录')).toHaveCount(0)
  await page.getByRole('button', { name: '不是我' }).click()
  await expect(page.getByRole('heading', { name: '已下线该设备' })).toBeVisible()
  await expectOut(thief)
  await expect(seen(owner, '请重新登录')).toHaveCount(0)
  const marks = (await page.context().cookies()).filter(({ name }) => /hufu(-in)?$/.test(name))
  expect(marks).toEqual([])

  await page.getByRole('link', { name: '下一步：登录并修改密码' }).click()
  await expect(page).toHaveURL(`${site.url}/login/%2Fuser%2Fprotect`)
  await page.getByRole('button', { name: '密码登录' }).click()
  await page.getByLabel('账号', { exact: true }).fill(member.username)
  await page.getByLabel('密码', { exact: true }).fill(password)
  await page.getByRole('button', { name: '登录', exact: true }).click()
  await expect(page).toHaveURL(`${site.url}/user/protect`)
  await expect(step(page, '核对联系方式')).toContainText('@example.com')
  await expect(step(page, '查看登录设备')).toContainText('1 台')

  await page.getByRole('link', { name: '修改密码' }).click()
  await page.getByRole('button', { name: '发送验证码' }).click()
  await page.getByLabel('邮箱验证码').fill(await codeTo(member.email ?? ''))
  await expect(page).toHaveURL(`${site.url}/user/changePassword`)
  await typePassword(page)
  await expect(page).toHaveURL(`${site.url}/user/protect`)
  await expect(step(page, '修改登录密码')).toContainText('已完成')
  await expectOut(owner)

  await page.goto(link)
  await expect(page.getByRole('alert')).toHaveText('该链接已使用或已过期')
  await page.getByRole('link', { name: '查看安全记录' }).click()
  await expect(rows(page).filter({ hasText: '非本人' }).first()).toBeVisible()
  await Promise.all([first.close(), thief.context().close()])
})

test('the protection: a new password is ticked and ends the others; contacts and devices lead on', {
  tag: '@full',
}, async ({ page, product, browser }) => {
  test.slow()
  const site = await product.site()
  const member = await createMember(site)
  await enter(page, site, member)
  const thief = await otherBrowser(browser, site, member)
  await page.goto(`${site.url}/user/security`)
  await notMe(page).click()
  await inDialog(page, '立即下线').click()
  await expect(page).toHaveURL(`${site.url}/user/protect`)
  await expectOut(thief)
  const other = await otherBrowser(browser, site, member)
  await page.reload()
  await expect(page).toHaveTitle('保护账号')
  await expect(step(page, '修改登录密码')).toContainText('已设置')
  await expect(step(page, '查看登录设备')).toContainText('1 台')
  await page.getByRole('link', { name: '修改密码' }).click()
  await checkByPassword(page)
  await expect(page).toHaveURL(`${site.url}/user/changePassword`)
  await page.getByRole('button', { name: '返回' }).click()
  await expect(page).toHaveURL(`${site.url}/user/protect`)
  await expect(step(page, '修改登录密码')).not.toContainText('已完成')
  await page.getByRole('link', { name: '修改密码' }).click()
  await typePassword(page)
  await expect(page).toHaveURL(`${site.url}/user/protect`)
  await expect(step(page, '修改登录密码')).toContainText('已完成')
  await expect(seen(page, '密码已修改，其他设备均已退出登录')).toBeVisible()
  await expect(step(page, '查看登录设备')).toContainText('已完成')
  await expectOut(other)
  await page.reload()
  await expect(step(page, '修改登录密码')).toContainText('已完成')
  await page.getByRole('link', { name: /^电子邮箱/ }).click()
  await expect(page).toHaveURL(`${site.url}/user/changeEmail`)
  await Promise.all([thief.context().close(), other.context().close()])
})

test('without foreign sign-ins, an old change of the password ticks nothing', { tag: '@full' }, async ({
  page,
  product,
}) => {
  const site = await product.site()
  await enter(page, site, await createMember(site))
  await page.goto(`${site.url}/user/changePassword`)
  await checkByPassword(page)
  await typePassword(page)
  await expect(page).not.toHaveURL(/changePassword/)
  const listed = page.waitForResponse('**/api/user/security/list')
  await page.goto(`${site.url}/user/protect`)
  await listed
  await expect(step(page, '查看登录设备')).toContainText('已完成')
  await expect(step(page, '修改登录密码')).not.toContainText('已完成')
})

test('不是我 where another account is signed in: out of that one, into the own', { tag: '@full' }, async ({
  page,
  product,
  browser,
  linkTo,
}) => {
  test.slow()
  const site = await product.site()
  const member = await createMember(site, ['email'])
  const first = await otherBrowser(browser, site, member)
  const second = await browser.newPage()
  await enter(second, site, member)
  await enter(page, site, await createMember(site))
  await page.goto(await linkTo(member.email ?? ''))
  await page.getByRole('button', { name: '不是我' }).click()
  await expect(page.getByText('当前登录账号：')).toBeVisible()
  await page.getByRole('button', { name: '退出并登录其他账号' }).click()
  await expect(page).toHaveURL(`${site.url}/login/%2Fuser%2Fprotect`)
  await page.getByRole('button', { name: '密码登录' }).click()
  await page.getByLabel('账号', { exact: true }).fill(member.username)
  await page.getByLabel('密码', { exact: true }).fill(password)
  await page.getByRole('button', { name: '登录', exact: true }).click()
  await expect(page).toHaveURL(`${site.url}/user/protect`)
  await expect(step(page, '核对联系方式')).toContainText('@example.com')
  await Promise.all([first.context().close(), second.close()])
})

test('全部下线 on the protection ends all the others', { tag: '@full' }, async ({ page, product, browser }) => {
  const site = await product.site()
  const member = await createMember(site)
  await enter(page, site, member)
  const other = await otherBrowser(browser, site, member)
  await page.goto(`${site.url}/user/protect`)
  await page.getByRole('button', { name: '全部下线' }).click()
  await inDialog(page, '退出其他设备').click()
  await expect(step(page, '查看登录设备')).toContainText('已完成')
  await expect(page.getByRole('button', { name: '全部下线' })).toHaveCount(0)
  await expectOut(other)
  await other.context().close()
})

test('不是我 in the very browser that was signed in signs it out, also without an event stream', {
  tag: '@full',
}, async ({ page, product, browser, linkTo }) => {
  const site = await product.site()
  const member = await createMember(site, ['email'])
  const known = await otherBrowser(browser, site, member)
  await page.route('**/api/events', (route) => route.abort())
  await enter(page, site, member)
  await page.goto(await linkTo(member.email ?? ''))
  await page.getByRole('button', { name: '不是我' }).click()
  const next = page.getByRole('link', { name: '下一步：登录并修改密码' })
  await expect(next).toHaveAttribute('href', '/login/%2Fuser%2Fprotect')
  await known.context().close()
})

test('a made-up link says that it is over', { tag: '@full' }, async ({ page, product }) => {
  const site = await product.site()
  for (const token of ['x', 'x'.repeat(43)]) {
    await page.goto(`${site.url}/disown/${token}`)
    await expect(page.getByRole('alert')).toHaveText('该链接已使用或已过期')
    const link = page.getByRole('link', { name: '登录查看安全记录' })
    await expect(link).toHaveAttribute('href', '/login/%2Fuser%2Fsecurity')
  }
})

test('the keyboard alone disowns a sign-in', async ({ page, product, browser, isMobile }) => {
  test.skip(isMobile, 'phones have no keyboard')
  const site = await product.site()
  const { other } = await visited(page, browser, site)
  const focused = () => notMe(page).evaluate((element) => element === document.activeElement)
  for (let tabs = 0; tabs < 20 && !(await focused()); tabs++) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(inDialog(page, '取消')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(notMe(page)).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(`${site.url}/user/protect`)
  await other.context().close()
})

test('axe finds nothing, and nothing is cut at font size 18 on 360 px, in light and dark', async ({
  page,
  product,
  browser,
  linkTo,
}) => {
  test.slow()
  const site = await product.site()
  await prefer(page, { fontSize: 18 })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 360, height: 740 })
  const { member, other } = await visited(page, browser, site)
  const fits = async (what: string) => {
    expect(await themedFaults(page), what).toEqual([])
    expect(await misfits(page), what).toEqual([])
  }
  await fits('history')
  await notMe(page).click()
  await fits('dialog')
  await page.goto(`${site.url}/user/protect`)
  await expect(page.getByRole('button', { name: '全部下线' })).toBeVisible()
  await fits('protection')
  await page.goto(await linkTo(member.email ?? ''))
  await expect(page.getByRole('button', { name: '不是我' })).toBeVisible()
  await fits('question')
  await page.getByRole('button', { name: '不是我' }).click()
  await expect(page.getByRole('heading', { name: '已下线该设备' })).toBeVisible()
  await fits('answer')
  await page.reload()
  await expect(page.getByRole('alert')).toBeVisible()
  await fits('expired')
  await other.context().close()
})
