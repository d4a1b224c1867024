import type { Browser, Page } from '@playwright/test'
import { expect, freshMobile, prefer, type StorySite, signInByCode, test } from './fixtures.ts'
import {
  axeFaults,
  createMember,
  enter,
  misfits,
  openChange,
  passMinute,
  password,
  themedFaults,
  wrongCode,
} from './member.ts'
import {
  type CodeTo,
  createOwner,
  emailCode,
  giveEmailCode,
  givePassword,
  type Owner,
  pass,
  proveBoth,
  typePassword,
} from './recovering.ts'

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })
const smsCode = (page: Page) => page.getByLabel('短信验证码')
const banner = (page: Page) => page.getByRole('region', { name: '正在更换停用的手机号' })

async function beginWait(page: Page, site: StorySite, codeTo: CodeTo, account: Owner) {
  await proveBoth(page, site, codeTo, account)
  await press(page, '申请找回')
  await expect(page.getByText('还需等待 3 天')).toBeVisible()
}

const anotherPage = async (browser: Browser, page: Page) =>
  (await browser.newContext({ viewport: page.viewportSize() })).newPage()

/** Signs in by password on the page itself, with any name. */
async function logIn(page: Page, site: StorySite, account: string) {
  await page.goto(`${site.url}/login`)
  await press(page, '密码登录')
  await page.getByLabel('账号', { exact: true }).fill(account)
  await page.getByLabel('密码', { exact: true }).fill(password)
  await press(page, '登录')
}

test('password, e-mail, 72 hours, a new number: the old one signs in before and not after', async ({
  page,
  product,
  codeTo,
  browser,
}) => {
  test.slow()
  const site = await product.site()
  const account = await createOwner(site)
  const { mobile, email, username } = account
  await page.goto(`${site.url}/login`)
  await page.getByRole('link', { name: '手机号已停用？' }).click()
  await expect(page).toHaveURL(`${site.url}/recover`)
  await expect(page).toHaveTitle('找回账号')
  for (const words of ['登录密码', '邮箱验证码', '72 小时等待期']) await expect(page.getByText(words)).toBeVisible()
  await givePassword(page, username)
  await expect(page.getByText(/验证码将发送至 p\d?\*+@example\.com/)).toBeVisible()
  await giveEmailCode(page, codeTo, email)
  await expect(heading(page, '申请找回')).toBeVisible()
  await press(page, '申请找回')
  await expect(page.getByText('还需等待 3 天')).toBeVisible()
  await expect(page.getByText('到时请回到本页，再次验证密码和邮箱')).toBeVisible()

  // The waiting time is shown again after both identity proofs, and no number can be set yet.
  await passMinute(page, site, email)
  await pass(site, 71)
  await press(page, '重新验证')
  await typePassword(page, username)
  await giveEmailCode(page, codeTo, email)
  await expect(page.getByText('还需等待 1 小时')).toBeVisible()
  await expect(page.getByLabel('新手机号')).toHaveCount(0)

  // Until then the number that is said to be gone still opens the account, and shows what is going on.
  const owner = await anotherPage(browser, page)
  await signInByCode(owner, site, codeTo, '/user', mobile)
  await expect(banner(owner)).toContainText('之后可设置新手机号。如非本人操作，请立即取消。')

  await pass(site, 1)
  await passMinute(page, site, email)
  await page.evaluate(() => sessionStorage.clear())
  await proveBoth(page, site, codeTo, account)
  await expect(heading(page, '设置新手机号')).toBeVisible()
  const fresh = freshMobile()
  await page.getByLabel('新手机号').fill(fresh)
  await press(page, '发送验证码')
  await expect(smsCode(page)).toBeFocused()
  const code = await codeTo(fresh)
  await smsCode(page).fill(wrongCode(code))
  await press(page, '更换手机号')
  await expect(page.getByRole('alert')).toHaveText('验证码不正确或已失效，请核对后重新输入')
  await smsCode(page).fill(code)
  await press(page, '更换手机号')
  await expect(heading(page, '手机号已更换')).toBeVisible()

  // Every session is over, the former number opens nothing, the new one does.
  await owner.reload()
  await expect(owner.getByText(/请先登录|已下线，请重新登录/)).toBeVisible()
  await logIn(owner, site, mobile)
  await expect(owner.getByRole('alert')).toHaveText('账号或密码不正确，请核对后重新输入')
  await owner.getByLabel('账号', { exact: true }).fill(fresh)
  await press(owner, '登录')
  await expect(owner).toHaveURL(`${site.url}/user`)
  await expect(banner(owner)).toHaveCount(0)
  await owner.close()
  await page.getByRole('link', { name: '去登录' }).click()
  await expect(heading(page, '手机号登录')).toBeVisible()
})

test('a wrong password and a wrong code are reported, and nothing typed is lost; an old ticket starts again', {
  tag: '@full',
}, async ({ page, product, codeTo }) => {
  const site = await product.site()
  const { email, username } = await createOwner(site)
  await page.goto(`${site.url}/recover`)
  await givePassword(page, username, 'Wrong#2026x')
  await expect(page.getByRole('alert')).toHaveText('账号或密码不正确，请核对后重新输入')
  await expect(page.getByLabel('账号', { exact: true })).toHaveValue(username)
  await page.getByLabel('密码', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await press(page, '发送验证码')
  await expect(emailCode(page)).toBeVisible()
  const code = await codeTo(email)
  await emailCode(page).fill(wrongCode(code))
  await expect(page.getByRole('alert')).toHaveText('验证码不正确或已失效，请核对后重新输入')
  await emailCode(page).fill(code)
  await expect(heading(page, '申请找回')).toBeVisible()
  await site.query("UPDATE recovery_ticket SET expires_at = expires_at - interval '10 minutes' WHERE site_id = $1", [])
  await press(page, '申请找回')
  await expect(page.getByRole('alert')).toHaveText('验证已超时，请重新开始')
  await expect(page.getByLabel('账号', { exact: true })).toHaveValue(username)
  await expect(page.getByText('第 2 步，共 5 步')).toBeVisible()
})

test('the mailed link stops it by a tap alone, and only once', async ({ page, product, codeTo, findSent, browser }) => {
  test.slow()
  const site = await product.site()
  const account = await createOwner(site)
  await beginWait(page, site, codeTo, account)
  const address = await findSent(account.email, /\S+\/recover\/stop\/[\w-]+/)
  expect(address).toMatch(/\/recover\/stop\/[\w-]{43}$/)
  const owner = await anotherPage(browser, page)
  await owner.goto(address)
  await expect(heading(owner, '有人申请为您的账号更换停用的手机号')).toBeVisible()
  await press(owner, '是我本人')
  await expect(heading(owner, '无需任何操作')).toBeVisible()
  await owner.goto(address)
  expect(await axeFaults(owner)).toEqual([])
  await press(owner, '不是我，立即停止')
  await expect(heading(owner, '已停止更换停用的手机号')).toBeVisible()
  await expect(owner.getByRole('link', { name: '登录并修改密码' })).toHaveAttribute('href', '/login/%2Fuser%2Fprotect')
  await owner.goto(address)
  await press(owner, '不是我，立即停止')
  await expect(heading(owner, '链接已失效')).toBeVisible()
  // The requester starts from the beginning.
  await passMinute(page, site, account.email)
  await page.evaluate(() => sessionStorage.clear())
  await proveBoth(page, site, codeTo, account)
  await expect(heading(page, '申请找回')).toBeVisible()
  await owner.close()
})

test('the user cancels it in the user centre', { tag: '@full' }, async ({ page, product, codeTo, browser }) => {
  const site = await product.site()
  const account = await createOwner(site)
  await beginWait(page, site, codeTo, account)
  const owner = await anotherPage(browser, page)
  await enter(owner, site, account)
  await expect(banner(owner)).toBeVisible()
  expect(await misfits(owner)).toEqual([])
  await owner.emulateMedia({ reducedMotion: 'reduce' })
  expect(await axeFaults(owner)).toEqual([])
  await banner(owner).getByRole('button', { name: '取消更换' }).click()
  await owner.getByRole('dialog').getByRole('button', { name: '取消', exact: true }).click()
  await expect(banner(owner)).toBeVisible()
  await banner(owner).getByRole('button', { name: '取消更换' }).click()
  await press(owner, '停止更换')
  await expect(owner.locator('.toast')).toContainText('已停止更换')
  await expect(banner(owner)).toHaveCount(0)
  await owner.reload()
  await expect(owner.getByRole('link', { name: '电子邮箱' })).toBeVisible()
  await expect(banner(owner)).toHaveCount(0)
  await owner.close()
})

test('an operator cancels it with a reason; one without ADMIN can only see it', { tag: '@full' }, async ({
  page,
  product,
  codeTo,
  browser,
}) => {
  test.slow()
  const site = await product.site()
  const mobile = freshMobile()
  const names = { mobile, email: `p${mobile}@example.com`, username: `u${mobile}` }
  const id = await site.createUser({ ...names, password, nickname: '沈清和' })
  const account = { id, ...names }
  await beginWait(page, site, codeTo, account)
  const reader = await anotherPage(browser, page)
  await enter(reader, site, await createMember(site, [], ['READ']))
  await reader.goto(`${site.url}/merchant/users/${id}`)
  await expect(reader.getByText(/正在更换停用的手机号，.*之后可设置新手机号/)).toBeVisible()
  await expect(reader.getByRole('button', { name: '取消更换' })).toHaveAttribute('aria-disabled', 'true')
  await reader.close()
  const operator = await anotherPage(browser, page)
  await enter(operator, site, await createMember(site, [], ['READ', 'ADMIN']))
  await operator.goto(`${site.url}/merchant/users/${id}`)
  await press(operator, '取消更换')
  await operator.getByLabel('原因').fill('用户来电说明并非本人申请')
  await operator.emulateMedia({ reducedMotion: 'reduce' })
  expect(await axeFaults(operator)).toEqual([])
  await press(operator, '停止更换')
  await expect(operator.locator('.toast')).toHaveText('修改成功')
  await expect(operator.getByText('正在更换停用的手机号')).toHaveCount(0)
  await expect(operator.getByText('客服取消了找回申请')).toBeVisible()
  await operator.goto(`${site.url}/merchant/log`)
  await expect(operator.getByText(/取消了 沈清和.*更换停用的手机号的申请/).first()).toBeVisible()
  await operator.close()
})

test('an account without an address sees where to get help', { tag: '@full' }, async ({ page, product }) => {
  const site = await product.site({ site: 'https://www.qingyu.example/', support: '400-820 8820' })
  const { username } = await createMember(site, ['mobile'])
  await page.goto(`${site.url}/recover`)
  await givePassword(page, username)
  const alert = page.getByRole('alert')
  await expect(alert).toContainText('请联系客服')
  await expect(alert.getByRole('link', { name: '客服电话 400-820 8820' })).toHaveAttribute('href', 'tel:4008208820')
})

test('a signed-in user whose old number receives no SMS code is led here', { tag: '@full' }, async ({
  page,
  product,
}) => {
  const site = await product.site()
  const account = await createOwner(site)
  await enter(page, site, account)
  await openChange(page, '/user/changeMobile')
  await page.getByRole('link', { name: '手机号已停用？' }).click()
  await expect(page).toHaveURL(`${site.url}/recover`)
  await expect(page.getByRole('link', { name: '返回用户中心' })).toBeVisible()
  await givePassword(page, account.mobile)
  await expect(heading(page, '验证电子邮箱')).toBeVisible()
})

test('inside WeChat a reload between two apps goes on, and a proof of work is solved unseen', { tag: '@full' }, async ({
  page,
  product,
  codeTo,
  browser,
}) => {
  const site = await product.site({
    limits: { addressProof: 0, addressHour: 1000, receiverHour: 1000, receiverDay: 1000 },
  })
  const { email, username } = await createOwner(site)
  const userAgent = 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0.0.0 Mobile MicroMessenger/8.0.50'
  const inside = await (await browser.newContext({ viewport: page.viewportSize(), userAgent })).newPage()
  await inside.goto(`${site.url}/recover`)
  await givePassword(inside, username)
  await press(inside, '发送验证码')
  await expect(emailCode(inside)).toBeVisible()
  await inside.reload()
  await expect(inside.getByText(/\d+ 秒后可重发/)).toBeVisible()
  await emailCode(inside).fill(await codeTo(email))
  await expect(heading(inside, '申请找回')).toBeVisible()
  await inside.close()
})

test('the keyboard alone begins it', async ({ page, product, codeTo, isMobile }) => {
  test.skip(isMobile, 'phones have no keyboard')
  const site = await product.site()
  const { email, username } = await createOwner(site)
  await page.goto(`${site.url}/recover`)
  await expect(heading(page, '手机号已停用？')).toBeVisible()
  const begin = page.getByRole('button', { name: '开始找回' })
  for (let tabs = 0; tabs < 4; tabs++) {
    if (await begin.evaluate((element) => element === document.activeElement)) break
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('账号', { exact: true })).toBeFocused()
  await page.keyboard.type(username)
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await expect(heading(page, '验证电子邮箱')).toBeVisible()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(emailCode(page)).toBeFocused()
  await page.keyboard.type(await codeTo(email))
  await expect(heading(page, '申请找回')).toBeVisible()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByText('还需等待 3 天')).toBeVisible()
})

test('axe finds nothing and all fits at 18 px on 360 in every step, in light and dark', async ({
  page,
  product,
  codeTo,
}) => {
  test.slow()
  const site = await product.site({ site: 'https://www.qingyu.example/' })
  const account = await createOwner(site)
  await prefer(page, { fontSize: 18 })
  await page.setViewportSize({ width: 360, height: 740 })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const look = async (words: string) => {
    await expect(heading(page, words)).toBeVisible()
    expect([words, ...(await themedFaults(page)), ...(await misfits(page))]).toEqual([words])
  }
  await page.goto(`${site.url}/recover`)
  await look('手机号已停用？')
  await givePassword(page, account.username, 'Wrong#2026x')
  await expect(page.getByRole('alert')).toBeVisible()
  await look('验证登录密码')
  await page.getByLabel('密码', { exact: true }).fill(password)
  await press(page, '下一步')
  await look('验证电子邮箱')
  await press(page, '发送验证码')
  await expect(emailCode(page)).toBeVisible()
  await look('验证电子邮箱')
  await emailCode(page).fill(await codeTo(account.email))
  await look('申请找回')
  await press(page, '申请找回')
  await look('正在等待')
  await pass(site, 72)
  await passMinute(page, site, account.email)
  await page.evaluate(() => sessionStorage.removeItem('recovery'))
  await proveBoth(page, site, codeTo, account)
  await look('设置新手机号')
  await page.goto(`${site.url}/recover/stop/${'a'.repeat(43)}`)
  await look('有人申请为您的账号更换停用的手机号')
  await press(page, '不是我，立即停止')
  await look('链接已失效')
})
