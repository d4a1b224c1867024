import type { Browser, Page } from '@playwright/test'
import { checkByApp } from './factors.ts'
import { expect, freshMobile, type StorySite, test } from './fixtures.ts'
import { checkPath, createMember, enter, misfits, password, themedFaults } from './member.ts'

const everything = ['READ', 'WRITE', 'ADMIN']
const toast = (page: Page) => page.locator('.toast')
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
/** A row of the table, or the card in its place. */
const row = (page: Page, name: string) => page.locator('tbody tr, .table-cards li').filter({ hasText: name })
const rows = (page: Page) => page.locator('tbody tr, .table-cards li')
const dialog = (page: Page) => page.getByRole('dialog')
const isNarrow = (page: Page) => (page.viewportSize()?.width ?? 0) < 768
const usersUrl = (site: StorySite) => `${site.url}/merchant/users`

/** An operator in a browser of their own, on the list of users. */
async function operatorAt(
  browser: Browser,
  page: Page,
  site: StorySite,
  path = '/merchant/users',
  rights = everything,
) {
  const operator = await createMember(site, [], rights)
  const context = await browser.newContext({ viewport: page.viewportSize() })
  const own = await context.newPage()
  await enter(own, site, operator)
  await own.goto(site.url + path)
  return own
}

async function userAt(browser: Browser, page: Page, site: StorySite, nickname: string) {
  const mobile = freshMobile()
  const id = await site.createUser({ username: `u${mobile}`, mobile, password, nickname })
  const own = await (await browser.newContext({ viewport: page.viewportSize() })).newPage()
  await enter(own, site, { id })
  return { id, mobile, page: own }
}

/** Users without a password, which would take a while for each. */
async function crowd(site: StorySite, count: number) {
  for (let at = 1; at <= count; at += 1) await site.createUser({ mobile: freshMobile(), nickname: `顾客${at}` })
}

test('S158 S176 S179 S180 S181 S182 S183 S184 S185 S433 D067 pages, the selection and what it offers', async ({
  browser,
  page,
  product,
}) => {
  test.slow()
  const site = await product.site()
  await crowd(site, 23)
  const own = await operatorAt(browser, page, site)
  await expect(own.getByText('共 24 位')).toBeVisible()
  await expect(rows(own)).toHaveCount(10)
  const actions = own.locator('.table-acts button')
  await expect(actions).toHaveText(['导出', '刷新'])
  await rows(own).nth(1).locator('.card-end, td:last-child').click()
  await expect(own.getByText('已选择 1 项')).toBeVisible()
  await expect(actions).toHaveText(['查看', '推送消息', '启用', '停用', '导出', '刷新'])
  // By the keyboard alone.
  await rows(own).nth(2).getByRole('checkbox').focus()
  await own.keyboard.press('Space')
  await expect(own.getByText('已选择 2 项')).toBeVisible()
  await expect(actions).toHaveText(['启用', '停用', '导出', '刷新'])
  const head = own.getByRole('checkbox', { name: '全选本页' })
  expect(await head.evaluate((box) => (box as HTMLInputElement).indeterminate)).toBe(true)
  await press(own, '下一页')
  await expect(own).toHaveURL(`${usersUrl(site)}?page=2`)
  await expect(own.getByText('已选择 0 项')).toBeVisible()
  await own
    .getByLabel('跳转到页码，共 3 页')
    .or(own.getByRole('button', { name: '第 3 页' }))
    .first()
    .click()
  if (isNarrow(own)) await own.keyboard.type('3\n')
  await expect(rows(own)).toHaveCount(4)
  await expect(own.getByRole('button', { name: '下一页' })).toBeDisabled()
  // Back from a user returns to the same place.
  await row(own, '顾客1').first().getByRole('link').click()
  await expect(own.getByRole('heading', { name: '登录方式' })).toBeVisible()
  await own.goBack()
  await expect(own).toHaveURL(`${usersUrl(site)}?page=3`)
  await expect(rows(own)).toHaveCount(4)
})

test('S159 S160 S161 S162 a search finds, a filter forgets it, both stand in the address', { tag: '@full' }, async ({
  browser,
  page,
  product,
}) => {
  const site = await product.site()
  const mobile = freshMobile()
  const username = `x${mobile.slice(3)}`
  const id = await site.createUser({ mobile, username, nickname: '沈清和', email: `s${mobile}@example.com` })
  await crowd(site, 2)
  const own = await operatorAt(browser, page, site)
  await expect(rows(own)).toHaveCount(4)
  const search = own.getByLabel('搜索手机号、邮箱、用户名、昵称或编号')
  for (const words of [mobile, '沈清', id.slice(0, 8).toUpperCase(), username]) {
    await search.fill(words)
    await expect(own).toHaveURL(`${usersUrl(site)}?search=${encodeURIComponent(words)}`)
    await expect(rows(own)).toHaveCount(1)
    await expect(rows(own)).toContainText('沈清和')
  }
  const shown = await rows(own).innerText()
  expect(shown.includes(id.slice(0, 8).toUpperCase())).toBe(!isNarrow(own))
  expect(shown.includes(username)).toBe(!isNarrow(own))
  expect(shown).not.toContain(mobile)
  if (isNarrow(own)) await press(own, '筛选')
  await own.getByRole('radio', { name: '管理人员' }).click()
  await expect(own).toHaveURL(`${usersUrl(site)}?only=operators`)
  await expect(search).toHaveValue('')
  await expect(rows(own)).toHaveCount(1)
  await expect(rows(own)).toContainText('林知夏')
  await own.reload()
  await expect(rows(own)).toHaveCount(1)
  await search.fill('没有这个人')
  await expect(own.getByText('没有找到用户')).toBeVisible()
})

test('D066 a user’s page; disabled they are out elsewhere within a second, and the log shows who did it', {
  tag: '@full',
}, async ({ browser, page, product }) => {
  test.slow()
  const site = await product.site()
  const user = await userAt(browser, page, site, '周慕白')
  const own = await operatorAt(browser, page, site)
  await row(own, '周慕白').getByRole('link').click()
  await expect(own.getByText(`+86 ${user.mobile.replace(/^(\d{3})(\d{4})/, '$1 $2 ')}`)).toBeVisible()
  await expect(own.getByText('登录 （密码）')).toBeVisible()
  await press(own, '停用账号')
  const refused = user.page.evaluate(async () => {
    const begin = performance.now()
    const ask = () =>
      fetch('/api/user/info', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
    while ((await ask()).ok) await new Promise((resolve) => setTimeout(resolve, 50))
    return performance.timeOrigin + performance.now() - begin
  })
  await dialog(own).getByRole('button', { name: '停用' }).click()
  await expect(toast(own)).toHaveText('修改成功')
  const done = Date.now()
  await refused
  expect(Date.now() - done).toBeLessThan(1_000)
  await user.page.reload()
  await expect(user.page.getByText(/请先登录|已下线，请重新登录/)).toBeVisible()
  await expect(own.locator('.person-who h2')).toContainText('已停用')
  await own.getByRole('link', { name: '操作记录' }).click()
  await expect(rows(own).first()).toContainText(`林知夏 停用了 周慕白 (${user.id.slice(0, 8).toUpperCase()})`)
  await own.goBack()
  await press(own, '启用账号')
  await dialog(own).getByRole('button', { name: '启用' }).click()
  await expect(own.locator('.person-who h2')).toContainText('正常')
})

test('S011 S070 S071 rights are given after a step-up, and the user sees the link to the back-office', {
  tag: '@full',
}, async ({ browser, page, product }) => {
  test.slow()
  const site = await product.site()
  const user = await userAt(browser, page, site, '许南乔')
  const own = await operatorAt(browser, page, site, `/merchant/users/${user.id}`)
  await press(own, '修改权限')
  await dialog(own)
    .getByRole('checkbox', { name: /回复与推送/ })
    .check()
  await press(own, '保存')
  await expect(own).toHaveURL(site.url + checkPath)
  await checkByApp(own, site)
  // What was ticked is still ticked.
  await expect(dialog(own).getByRole('checkbox', { name: /回复与推送/ })).toBeChecked()
  await press(own, '保存')
  await expect(toast(own)).toHaveText('修改成功')
  await expect(own.locator('.person-rights b')).toHaveText(['查看', '回复与推送'])
  await site.protect(user.id)
  await user.page.reload()
  if (isNarrow(user.page)) await press(user.page, '菜单')
  await user.page.getByRole('link', { name: '管理后台' }).click()
  await user.page.goto(`${site.url}/merchant/users`)
  await rows(user.page).first().getByRole('checkbox').check()
  const refused = user.page.getByRole('button', { name: '停用', exact: true })
  await expect(refused).toBeDisabled()
  await expect(refused).toHaveAttribute('title', '没有权限执行此操作')
  await refused.focus()
  await expect(refused).toBeFocused()
})

test('a lost number is taken off with a reason; the only one stays', { tag: '@full' }, async ({
  browser,
  page,
  product,
}) => {
  test.slow()
  const site = await product.site()
  const user = await userAt(browser, page, site, '江予安')
  const only = await site.createUser({ mobile: freshMobile(), nickname: '顾言' })
  const own = await operatorAt(browser, page, site, `/merchant/users/${only}`)
  const release = own.getByRole('button', { name: '移除失效手机号' })
  await expect(release).toBeDisabled()
  await expect(own.getByText('手机号是该账号唯一的登录方式，不能移除')).toBeVisible()
  await own.goto(`${site.url}/merchant/users/${user.id}`)
  await release.click()
  await own.getByLabel('原因').fill('号码已停用')
  await press(own, '移除')
  await checkByApp(own, site)
  await expect(own.getByLabel('原因')).toHaveValue('号码已停用')
  await press(own, '移除')
  await expect(toast(own)).toHaveText('修改成功')
  await expect(own.locator('.row').filter({ hasText: '手机号' })).toContainText('未设置')
})

test('an export says what it is, shows its progress and ends in a file', async ({ browser, page, product }) => {
  test.slow()
  const site = await product.site()
  const mobile = freshMobile()
  await site.createUser({ mobile, nickname: '=1+1' })
  const own = await operatorAt(browser, page, site)
  await expect(rows(own)).toHaveCount(2)
  await press(own, '导出')
  await expect(dialog(own)).toContainText('将导出全部用户')
  await dialog(own).getByRole('button', { name: '导出' }).click()
  await checkByApp(own, site)
  await dialog(own).getByRole('button', { name: '导出' }).click()
  // It goes on without the page.
  await expect(own.locator('.export')).toBeVisible()
  await own.goto(`${site.url}/user`)
  await own.goto(usersUrl(site))
  await expect(own.locator('.export')).toContainText('导出完成', { timeout: 20_000 })
  const [file] = await Promise.all([own.waitForEvent('download'), own.getByRole('link', { name: '下载' }).click()])
  expect(file.suggestedFilename()).toMatch(/\.csv$/)
  let text = ''
  for await (const part of await file.createReadStream()) text += part
  expect(text).toContain(mobile)
  expect(text).not.toMatch(/(^|,)"?=1\+1/m)
  await own.goto(`${site.url}/merchant/log`)
  await expect(rows(own).filter({ hasText: '导出了用户' })).toHaveCount(1)
  await expect(rows(own).filter({ hasText: '下载了用户导出文件' })).toHaveCount(1)
})

test('the list of pages stands beside them on wide screens, the bar leads back on narrow ones', async ({
  browser,
  page,
  product,
}) => {
  const site = await product.site()
  const own = await operatorAt(browser, page, site)
  const list = own.getByRole('navigation', { name: '后台页面' })
  if (isNarrow(own)) {
    await expect(list).toBeHidden()
    await press(own, '返回')
    return
  }
  await expect(list.getByRole('link', { name: '用户管理' })).toHaveAttribute('aria-current', 'page')
  await list.getByRole('link', { name: '操作日志' }).click()
  await expect(own).toHaveURL(`${site.url}/merchant/log`)
  await list.getByRole('link', { name: '意见处理' }).click()
  await expect(own.getByText('没有待处理的反馈')).toBeVisible()
})

test('the pages are free of faults and fit at every size, in light and dark', async ({ browser, page, product }) => {
  test.slow()
  const site = await product.site()
  await crowd(site, 11)
  const id = await site.createUser({ mobile: freshMobile(), nickname: '一个相当长的昵称用来看看会不会溢出' })
  const own = await operatorAt(browser, page, site)
  const viewport = page.viewportSize()
  for (const path of ['/merchant/users', `/merchant/users/${id}`, '/merchant/log']) {
    if (viewport) await own.setViewportSize(viewport)
    await own.goto(site.url + path)
    await expect(own.locator('tbody tr td:not(:has(.bone)), .table-cards li, .table .empty').first()).toBeVisible()
    if (path === '/merchant/users') await rows(own).first().getByRole('checkbox').check()
    expect(await themedFaults(own)).toEqual([])
    expect(await misfits(own)).toEqual([])
    await own.setViewportSize({ width: 360, height: 740 })
    await own.evaluate(() => {
      document.documentElement.style.fontSize = '18px'
    })
    await expect.poll(() => misfits(own)).toEqual([])
  }
})
