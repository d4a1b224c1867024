import { readFile } from 'node:fs/promises'
import type { Browser, Download, Page } from '@playwright/test'
import { unzip } from '../../apps/server/test/unzip.ts'
import { checkByApp } from './factors.ts'
import { expect, freshMobile, prefer, type StorySite, test } from './fixtures.ts'
import {
  checkByPassword,
  checkPath,
  createMember,
  enter,
  enterByPassword,
  type Member,
  misfits,
  openChange,
  openEmpty,
  passMinute,
  password,
  runOut,
  themedFaults,
} from './member.ts'
import { giveSession } from './session.ts'

type CodeTo = (to: string) => Promise<string>

const privacyPath = '/user/privacy'
const closePath = '/user/closeAccount'
const agreements = { terms: 'https://a.example/terms', privacy: 'https://a.example/privacy', version: '2026-11' }
const newer = { ...agreements, version: '2027-01' }

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })
const toast = (page: Page, words: string) => page.locator('.toast', { hasText: words })
const download = (page: Page) => page.getByRole('link', { name: '下载', exact: true })
const closing = (page: Page) => page.getByRole('heading', { name: /^账号将于 .+ 注销$/ })
const agreeDialog = (page: Page) => page.getByRole('dialog', { name: /^(协议已更新|请阅读并同意)$/ })

/** The code of the step-up goes to the given receiver. */
async function checkByCode(page: Page, label: string, to: string, codeTo: CodeTo) {
  await expect(page).toHaveURL(new RegExp(checkPath))
  await press(page, '发送验证码')
  await expect(page.getByLabel(label)).toBeVisible()
  await page.getByLabel(label).fill(await codeTo(to))
}

/** From the page of consequences to the last question. */
async function askToClose(page: Page, site: StorySite) {
  await page.goto(site.url + closePath)
  await expect(page.getByRole('button', { name: '申请注销' })).toBeDisabled()
  await page.getByRole('checkbox').check()
  await press(page, '申请注销')
}

/** Another browser of the same size. */
async function anotherPage(browser: Browser, page: Page) {
  const viewport = page.viewportSize()
  return await (await browser.newContext({ viewport, locale: 'zh-CN' })).newPage()
}

async function textsOf(file: Download) {
  const files = unzip(await readFile(await file.path()))
  return [...files].map(([name, bytes]) => [name, bytes.toString()] as const)
}

/** Signs in by a call that names no agreements; returns its status. */
async function knock(page: Page, site: StorySite, { username }: Member): Promise<number> {
  await openEmpty(page, site)
  return await page.evaluate(
    async (body) => {
      const headers = { 'content-type': 'application/json' }
      return (await fetch('/api/login/password', { method: 'POST', headers, body })).status
    },
    JSON.stringify({ account: username, password }),
  )
}

/** Signed in without a word about agreements. */
async function enterSilently(page: Page, site: StorySite, { id }: Member, path = '/user') {
  await giveSession(page, site, id)
  await page.goto(site.url + path)
}

test('D073 all that is kept about the user becomes a file for them alone, for a day', async ({ page, product }) => {
  test.slow()
  const site = await product.site()
  await enter(page, site, await createMember(site))
  await openChange(page, privacyPath)
  await expect(page).toHaveTitle('隐私与数据')
  await expect(page.getByText('用户协议')).toHaveCount(0)
  await press(page, '导出我的数据')
  await expect(page).toHaveURL(site.url + checkPath)
  await checkByPassword(page)
  await expect(page).toHaveURL(site.url + privacyPath)
  await expect(page.getByText('导出完成')).toBeVisible({ timeout: 30_000 })
  await expect(page.getByText(/有效至 .+ \d\d:\d\d/)).toBeVisible()
  const [file] = await Promise.all([page.waitForEvent('download'), download(page).click()])
  expect(file.suggestedFilename()).toMatch(/^personal-data-\d{8}\.zip$/)
  const texts = await textsOf(file)
  expect(texts.length).toBeGreaterThan(0)
  expect(texts.filter(([, text]) => text.includes('林知夏')).map(([name]) => name)).not.toEqual([])
  expect(texts.filter(([, text]) => text.includes('$argon2') || text.includes('$scrypt'))).toEqual([])

  // The step-up expires: it is made again on the way to the file, whose download then starts by itself.
  await runOut(site)
  await download(page).click()
  await expect(page).toHaveURL(site.url + checkPath)
  const again = page.waitForEvent('download')
  await checkByPassword(page)
  await expect(page).toHaveURL(site.url + privacyPath)
  expect((await textsOf(await again)).length).toBe(texts.length)

  await site.query("UPDATE data_export SET expires_at = expires_at - interval '24 hours' WHERE site_id = $1", [])
  const address = await download(page).getAttribute('href')
  // A file that is over by now: the page stays where it is.
  const asked = page.waitForResponse('**/api/user/twoFactor/state')
  await download(page).click()
  await asked
  await expect(download(page)).not.toHaveAttribute('aria-busy')
  await expect(page.getByText('导出完成')).toBeVisible()
  await expect(page).toHaveURL(site.url + privacyPath)
  await page.reload()
  await expect(page.getByRole('button', { name: '导出我的数据' })).toBeVisible()
  await expect(download(page)).toHaveCount(0)
  expect(await page.evaluate(async (path) => (await fetch(path)).status, address ?? '')).toBe(404)
})

test('going back from the step-up starts nothing', async ({ page, product }) => {
  const site = await product.site()
  await enter(page, site, await createMember(site))
  await openChange(page, privacyPath)
  await press(page, '导出我的数据')
  await expect(page).toHaveURL(site.url + checkPath)
  await page.goBack()
  await expect(page.getByRole('button', { name: '导出我的数据' })).toBeEnabled()
  await expect(page.getByRole('progressbar')).toHaveCount(0)
  await openChange(page, closePath)
  await page.getByRole('checkbox').check()
  await press(page, '申请注销')
  await expect(page).toHaveURL(site.url + checkPath)
  await page.goBack()
  await expect(page.getByRole('button', { name: '申请注销' })).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('closing signs the other browsers out, is announced by mail, and is taken back by a tap after signing in', async ({
  page,
  product,
  codeTo,
  findSent,
  browser,
}) => {
  test.slow()
  const site = await product.site()
  const member = await createMember(site, ['email'])
  const { email = '' } = member
  const other = await anotherPage(browser, page)
  await enter(other, site, member)
  await enter(page, site, member)
  await openChange(page, privacyPath)
  await openChange(page, closePath)
  await page.getByRole('link', { name: '导出我的数据' }).click()
  await expect(page).toHaveURL(site.url + privacyPath)
  await askToClose(page, site)
  await checkByCode(page, '邮箱验证码', email, codeTo)
  await expect(page.getByRole('dialog', { name: '确定申请注销？' })).toBeVisible()
  await inDialog(page, '取消').click()
  await press(page, '申请注销')
  await inDialog(page, '确定注销').click()
  await expect(toast(page, '已申请注销')).toBeVisible()
  await expect(closing(page)).toBeVisible()
  await expect(page.getByText('还剩 7 天')).toBeVisible()
  await page.goto(`${site.url}/user`)
  await expect(closing(page)).toBeVisible()

  await other.reload()
  await expect(other.getByText('已下线，请重新登录')).toBeVisible()
  await findSent(email, /注销/)

  // Signing in alone takes nothing back.
  await enterByPassword(other, site, member)
  await expect(closing(other)).toBeVisible()
  await press(other, '撤销注销')
  await inDialog(other, '取消').click()
  await expect(closing(other)).toBeVisible()
  await press(other, '撤销注销')
  await inDialog(other, '撤销注销').click()
  await expect(toast(other, '已撤销注销')).toBeVisible()
  await expect(closing(other)).toHaveCount(0)
  await other.reload()
  await expect(other.getByRole('link', { name: '隐私与数据' })).toBeVisible()
  await expect(closing(other)).toHaveCount(0)
  await other.context().close()
})

test('D073 after seven days the account is gone, and its number makes a new one', { tag: '@full' }, async ({
  page,
  product,
  codeTo,
}) => {
  test.slow()
  const site = await product.site()
  const member = await createMember(site, ['mobile'])
  const { mobile = '' } = member
  await giveSession(page, site, member.id, { method: 'mobile' })
  await askToClose(page, site)
  // Signed in by an SMS code, a browser that is new to the account needs one more kind of identity proof.
  await checkByCode(page, '短信验证码', mobile, codeTo)
  await expect(page.getByText('第 2 步，共 2 步')).toBeVisible()
  await checkByPassword(page)
  await inDialog(page, '确定注销').click()
  await expect(closing(page)).toBeVisible()
  // Past its day the account is closed; a minute later it is erased, and the name is free.
  const age = "UPDATE deletion SET due_at = due_at - interval '7 days 1 minute' WHERE site_id = $1"
  await site.query(age, [])
  await page.goto(`${site.url}/user`)
  await expect(page.getByText(/请先登录|已下线，请重新登录/)).toBeVisible()
  const erase = "INSERT INTO pgboss.job (name, data) SELECT 'erase-accounts', '{}' WHERE $1::uuid IS NOT NULL"
  // A worker that still starts has no queues yet.
  await expect(() => site.query(erase, [])).toPass()
  await expect.poll(() => knock(page, site, member), { timeout: 40_000, intervals: [4_000] }).toBe(400)
  await page.goto(`${site.url}/login`)
  await passMinute(page, site, `+86${mobile}`)
  await page.getByLabel('手机号', { exact: true }).fill(mobile)
  await press(page, '发送验证码')
  await expect(page.getByLabel('短信验证码')).toBeVisible()
  await page.getByLabel('短信验证码').fill(await codeTo(mobile))
  await expect(page).toHaveURL(`${site.url}/user`)
  await expect(page.locator('a[href="/user/changeUsername"]')).toContainText('未设置')
  await expect(page.getByText('林知夏')).toHaveCount(0)
  await expect(closing(page)).toHaveCount(0)
})

test('the last administrator learns why not', { tag: '@full' }, async ({ page, product }) => {
  const site = await product.site()
  await enter(page, site, await createMember(site, [], ['READ', 'WRITE', 'ADMIN']))
  await askToClose(page, site)
  await checkByApp(page, site)
  await inDialog(page, '确定注销').click()
  await expect(page.getByRole('alert')).toHaveText('至少要保留一位管理员，请先为其他人授权')
  await inDialog(page, '取消').click()
  await page.goto(`${site.url}/user`)
  await expect(page.getByRole('link', { name: '隐私与数据' })).toBeVisible()
  await expect(closing(page)).toHaveCount(0)
})

test('D080 a ticked box isn’t asked again; a new version is, and is remembered', { tag: '@full' }, async ({
  page,
  product,
  codeTo,
}) => {
  const site = await product.site({ agreements })
  const mobile = freshMobile()
  await page.goto(`${site.url}/login`)
  await page.getByRole('checkbox', { name: /我已阅读并同意/ }).check()
  await page.getByLabel('手机号', { exact: true }).fill(mobile)
  await press(page, '发送验证码')
  await page.getByLabel('短信验证码').fill(await codeTo(mobile))
  await expect(page).toHaveURL(`${site.url}/user`)
  await expect(page.getByRole('link', { name: '隐私与数据' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('link', { name: '隐私与数据' })).toBeVisible()
  await expect(agreeDialog(page)).toHaveCount(0)

  await site.save({ name: '青屿生活', agreements: newer })
  await expect(async () => {
    await page.reload()
    await expect(agreeDialog(page)).toBeVisible({ timeout: 1_000 })
  }).toPass()
  await expect(page.getByRole('heading', { name: '协议已更新' })).toBeVisible()
  for (let times = 0; times < 3; times++) await page.keyboard.press('Escape')
  await expect(agreeDialog(page)).toBeVisible()
  await expect(agreeDialog(page).getByRole('link', { name: '《用户协议》' })).toHaveAttribute('href', newer.terms)
  await inDialog(page, '同意并继续').click()
  await expect(agreeDialog(page)).toHaveCount(0)
  await page.goto(site.url + privacyPath)
  await expect(page.getByText(/^2027-01，(今天|昨天) \d\d:\d\d 同意$/)).toBeVisible()
  await expect(page.getByText(/^2026-11，(今天|昨天) \d\d:\d\d 同意$/)).toBeVisible()
  await expect(agreeDialog(page)).toHaveCount(0)
})

test('D080 who never agreed is asked, in the back-office too, and may sign out instead', async ({ page, product }) => {
  const site = await product.site({ agreements })
  const member = await createMember(site, [], ['READ'])
  await enterSilently(page, site, member, '/merchant')
  await expect(page.getByRole('dialog', { name: '请阅读并同意' })).toBeVisible()
  await inDialog(page, '退出登录').click()
  await expect(page).toHaveURL(`${site.url}/`)
  await expect(page.getByText('未登录')).toBeVisible()
})

test('who doesn’t agree still gets the own data, may leave for good, and can protect the account', async ({
  page,
  product,
}) => {
  const site = await product.site({ agreements })
  await enterSilently(page, site, await createMember(site))
  await agreeDialog(page).getByRole('link', { name: '不同意？可以导出数据或注销账号' }).click()
  await expect(page).toHaveURL(site.url + privacyPath)
  await expect(agreeDialog(page)).toHaveCount(0)
  await expect(page.locator('#main')).toBeFocused()
  await expect(page.getByText(/^2026-11，尚未同意$/)).toBeVisible()
  await press(page, '导出我的数据')
  await checkByPassword(page)
  await expect(page.getByText('导出完成')).toBeVisible({ timeout: 30_000 })
  await askToClose(page, site)
  await inDialog(page, '确定注销').click()
  await expect(closing(page)).toBeVisible()
  await page.goto(`${site.url}/user/protect`)
  await expect(closing(page)).toBeVisible()
  await expect(agreeDialog(page)).toHaveCount(0)
  await page.goto(`${site.url}/user`)
  await expect(agreeDialog(page)).toBeVisible()
})

test('D080 a page with an old version receives the newer one and asks for that', { tag: '@full' }, async ({
  page,
  product,
}) => {
  const site = await product.site({ agreements })
  await enterSilently(page, site, await createMember(site))
  await expect(agreeDialog(page)).toContainText('版本 2026-11')
  await site.save({ name: '青屿生活', agreements: newer })
  const inForce = () =>
    page.evaluate(async () => {
      const { data } = await (await fetch('/api/meta', { method: 'POST' })).json()
      return data.agreements.version
    })
  await expect.poll(inForce).toBe('2027-01')
  await inDialog(page, '同意并继续').click()
  await expect(page.getByRole('alert')).toHaveText('协议已更新，请阅读最新版本后再同意')
  await expect(agreeDialog(page)).toContainText('版本 2027-01')
  await inDialog(page, '同意并继续').click()
  await expect(agreeDialog(page)).toHaveCount(0)
})

test('the keyboard alone closes the account and keeps it', async ({ page, product, isMobile }) => {
  test.skip(isMobile, 'phones have no keyboard')
  const site = await product.site()
  await enter(page, site, await createMember(site))
  await page.goto(site.url + closePath)
  const reach = async (target: ReturnType<Page['getByRole']>) => {
    await expect(target).toBeVisible()
    const focused = () => target.evaluate((element) => element === document.activeElement)
    for (let tabs = 0; tabs < 30 && !(await focused()); tabs++) await page.keyboard.press('Tab')
    await expect(target).toBeFocused()
  }
  await reach(page.getByRole('checkbox'))
  await page.keyboard.press('Space')
  await reach(page.getByRole('button', { name: '申请注销' }))
  await page.keyboard.press('Enter')
  await page.getByLabel('登录密码', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect(inDialog(page, '取消')).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(closing(page)).toBeVisible()
  await expect(page.locator('#main')).toBeFocused()
  await page.keyboard.press('Tab')
  await reach(page.getByRole('button', { name: '撤销注销' }))
  await page.keyboard.press('Enter')
  await expect(inDialog(page, '撤销注销')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: '申请注销' })).toBeVisible()
})

for (const path of [privacyPath, closePath]) {
  test(`S337 ${path} asks a signed-out visitor first`, { tag: '@full' }, async ({ page, product }) => {
    const site = await product.site()
    await page.goto(site.url + path)
    await expect(page.getByText('请先登录')).toBeVisible()
  })
}

test('axe finds nothing, and nothing is cut at font size 18 on 360 px, in light and dark', async ({
  page,
  product,
}) => {
  const site = await product.site({ agreements })
  await prefer(page, { fontSize: 18 })
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 360, height: 740 })
  await enterSilently(page, site, await createMember(site))
  await expect(agreeDialog(page)).toBeVisible()
  expect([await themedFaults(page), await misfits(page)], 'agree').toEqual([[], []])
  await inDialog(page, '同意并继续').click()
  await expect(agreeDialog(page)).toHaveCount(0)
  await openChange(page, privacyPath)
  await expect(page.getByRole('button', { name: '导出我的数据' })).toBeVisible()
  await expect(page.getByText(/^2026-11，.+ 同意$/)).toBeVisible()
  expect([await themedFaults(page), await misfits(page)], 'privacy').toEqual([[], []])
  await askToClose(page, site)
  await checkByPassword(page)
  await expect(inDialog(page, '确定注销')).toBeVisible()
  expect(await themedFaults(page), 'question').toEqual([])
  await inDialog(page, '取消').click()
  expect([await themedFaults(page), await misfits(page)], 'consequences').toEqual([[], []])
  await press(page, '申请注销')
  await inDialog(page, '确定注销').click()
  await expect(closing(page)).toBeVisible()
  expect([await themedFaults(page), await misfits(page)], 'closing').toEqual([[], []])
  await page.goto(`${site.url}/user`)
  await expect(closing(page)).toBeVisible()
  expect([await themedFaults(page), await misfits(page)], 'banner').toEqual([[], []])
})
