import { referenceOf } from '@hufu/contract/feedback-rules'
import type { Browser, Page } from '@playwright/test'
import { timeLimit } from '../../tools/checks/time-limit.ts'
import { expect, type StorySite, test } from './fixtures.ts'
import { createMember, enter, misfits, themedFaults } from './member.ts'

/** Signed in in a browser of their own. */
async function openSignedIn(browser: Browser, site: StorySite, rights: string[] = []): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  const member = await createMember(site, [], rights)
  await enter(page, site, member)
  return page
}

const input = (page: Page) => page.getByLabel('反馈内容')
const replyBox = (page: Page) => page.getByLabel('回复内容')
const badge = (page: Page) => page.locator('.chat > header .badge')
const toast = (page: Page) => page.locator('.toast')
const talk = (page: Page) => page.getByRole('log', { name: '沟通记录' })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

async function say(page: Page, message: string) {
  await input(page).fill(message)
  await press(page, '发送')
  await expect(talk(page).getByText(message)).toBeVisible()
  await expect(input(page)).toHaveValue('')
}

async function reply(page: Page, message: string) {
  await replyBox(page).fill(message)
  await press(page, '发送')
  await expect(talk(page).getByText(message)).toBeVisible()
  await expect(replyBox(page)).toHaveValue('')
}

/** Begins a conversation; answers its id. */
async function begin(page: Page, site: StorySite, message = '换绑手机号之后收不到订单通知') {
  await page.goto(`${site.url}/user/feedback`)
  await say(page, message)
  await expect(page).toHaveURL(/\/user\/feedback\/[0-9a-f-]{36}$/)
  return page.url().split('/').at(-1) ?? ''
}

/** The call alone, as the page would make it. */
const sendFromPage = (page: Page, body: string) =>
  page.evaluate(async (text) => {
    const headers = { 'content-type': 'application/json' }
    await fetch('/api/user/feedback/send', { method: 'POST', headers, body: text })
  }, body)

/** A user with a conversation, and an operator who has it open. */
async function bothSides(browser: Browser, site: StorySite) {
  const user = await openSignedIn(browser, site)
  const operator = await openSignedIn(browser, site, ['READ', 'WRITE'])
  const id = await begin(user, site)
  await operator.goto(`${site.url}/merchant/feedback/${id}`)
  await expect(replyBox(operator)).toBeVisible()
  return { user, operator, id }
}

test('S280 S281 S282 S283 S274 S277 S278 from new to closed, each side following the other', async ({
  browser,
  product,
}) => {
  const { user, operator } = await bothSides(browser, await product.site())
  await expect(badge(user)).toHaveText('待处理')
  await expect(operator.getByText('是否开始处理该反馈？')).toBeVisible()
  await press(operator, '开始处理')
  await expect(badge(user)).toHaveText('处理中')
  await expect(talk(user).getByText('客服已开始处理')).toBeVisible()
  await reply(operator, '请问重新登录过吗？')
  await expect(toast(operator)).toHaveText('发送成功')
  await expect(talk(user).getByText('请问重新登录过吗？')).toBeVisible()
  await expect(user.getByText('商户已回复，如仍有疑问请补充更多细节')).toBeVisible()
  await say(user, '登录过的')
  await expect(badge(operator)).toHaveText('处理中')
  await reply(operator, '已为您重新关联')
  await expect(operator.getByText('问题是否已解决？')).toBeVisible()
  await press(operator, '已解决')
  await expect(badge(operator)).toHaveText('待用户确认')
  await expect(user.getByText('您的问题是否已解决？')).toBeVisible()
  await press(user, '已解决')
  await expect(badge(user)).toHaveText('已结束')
  await expect(user.getByText('本次反馈已结束，如有新的问题请发起新的反馈')).toBeVisible()
  await expect(input(user)).toHaveCount(0)
  await expect(talk(operator).getByText('用户已确认解决，反馈已结束')).toBeVisible()
  await expect(operator.getByText('本次反馈已结束，发送回复将重新开启沟通')).toBeVisible()
  await user.locator('.ask').getByRole('link', { name: '新的反馈' }).click()
  await expect(user).toHaveURL(/\/user\/feedback$/)
})

test('S284 S279 S275 S285 S286 S289 unable to solve, still asked after a solution, and re-opened by a reply', {
  tag: '@full',
}, async ({ browser, product }) => {
  const { user, operator } = await bothSides(browser, await product.site())
  await reply(operator, '请稍等')
  await press(operator, '暂时无法解决')
  await expect(user.getByText('该问题暂时无法解决，您可以在下方继续沟通')).toBeVisible()
  await say(user, '那什么时候可以？')
  await expect(badge(operator)).toHaveText('处理中')
  await reply(operator, '下个版本')
  await press(operator, '已解决')
  await expect(user.getByText('您的问题是否已解决？')).toBeVisible()
  await say(user, '还有一点不明白')
  await expect(badge(user)).toHaveText('处理中')
  await expect(user.getByText('您的问题是否已解决？')).toBeVisible()
  await press(user, '已解决')
  await expect(badge(operator)).toHaveText('已结束')
  await expect(operator.getByRole('button', { name: '强制关闭' })).toHaveCount(0)
  await reply(operator, '补充一下')
  await expect(badge(operator)).toHaveText('已回复')
  await expect(input(user)).toBeVisible()
  await expect(user.getByText('您的问题是否已解决？')).toHaveCount(0)
})

test('S287 S288 S290 S291 force close only after both have spoken, and only after a question', {
  tag: '@full',
}, async ({ browser, product }) => {
  const { user, operator } = await bothSides(browser, await product.site())
  const close = operator.getByRole('button', { name: '强制关闭', exact: true })
  await expect(close).toHaveCount(0)
  await say(user, '有人吗')
  await expect(talk(operator).getByText('有人吗')).toBeVisible()
  await expect(close).toHaveCount(0)
  await reply(operator, '在的')
  await close.click()
  await operator.getByRole('dialog').getByRole('button', { name: '取消' }).click()
  await expect(badge(operator)).toHaveText('已回复')
  await close.click()
  await operator.getByRole('dialog').getByRole('button', { name: '强制关闭' }).click()
  await expect(badge(operator)).toHaveText('已结束')
  await expect(talk(user).getByText('客服已结束本次反馈')).toBeVisible()
  await expect(input(user)).toHaveCount(0)
})

test('D043 two operators at once stay consistent, and a refused move says so', { tag: '@full' }, async ({
  browser,
  product,
}) => {
  const site = await product.site()
  const { operator, id } = await bothSides(browser, site)
  const other = await openSignedIn(browser, site, ['READ', 'WRITE'])
  // Nothing reaches this one by itself: it acts on what it last saw.
  await other.route('**/api/events', (route) => route.abort())
  await other.goto(`${site.url}/merchant/feedback/${id}`)
  await expect(other.getByText('是否开始处理该反馈？')).toBeVisible()
  await other.route('**/feedback/read', (route) => route.abort())
  await press(operator, '开始处理')
  await expect(badge(operator)).toHaveText('处理中')
  await press(other, '开始处理')
  await expect(toast(other)).toHaveText('该反馈的状态已变化，请查看最新内容后再操作')
  await other.unroute('**/feedback/read')
  await expect(badge(other)).toHaveText('处理中')
  await expect(talk(other).getByText('已开始处理')).toHaveCount(1)
  await Promise.all([reply(operator, '甲的回复'), reply(other, '乙的回复')])
  for (const page of [operator, other])
    for (const words of ['甲的回复', '乙的回复']) await expect(talk(page).getByText(words)).toHaveCount(1)
})

test('D040 a message into a conversation that was closed meanwhile is refused, and the text is kept', {
  tag: '@full',
}, async ({ browser, product }) => {
  const { user, operator } = await bothSides(browser, await product.site())
  await say(user, '第二条')
  await reply(operator, '好的')
  await user.route('**/api/events', (route) => route.abort())
  await user.route('**/feedback/read', (route) => route.abort())
  await user.reload({ waitUntil: 'commit' })
  await user.unroute('**/feedback/read')
  await expect(input(user)).toBeVisible()
  await user.route('**/feedback/read', (route) => route.abort())
  await operator.getByRole('button', { name: '强制关闭', exact: true }).click()
  await operator.getByRole('dialog').getByRole('button', { name: '强制关闭' }).click()
  await expect(badge(operator)).toHaveText('已结束')
  await input(user).fill('还没说完')
  await press(user, '发送')
  await expect(toast(user)).toHaveText('本次反馈已结束，如有新的问题请发起新的反馈')
  await expect(input(user)).toHaveValue('还没说完')
  await user.unroute('**/feedback/read')
  await expect(input(user)).toHaveCount(0)
})

test('S312 S419 D044 blank is not sent; a lost answer keeps the text, and sending again adds nothing', {
  tag: '@full',
}, async ({ browser, product }) => {
  const site = await product.site()
  const user = await openSignedIn(browser, site)
  await user.goto(`${site.url}/user/feedback`)
  const bodies: string[] = []
  await user.route('**/feedback/send', async (route) => {
    bodies.push(route.request().postData() ?? '')
    if (bodies.length > 1) return await route.continue()
    // The server gets it, the page never receives the response.
    await sendFromPage(user, bodies[0] ?? '')
    await route.abort()
  })
  await input(user).fill('  \n ')
  await press(user, '发送')
  expect(bodies).toEqual([])
  await input(user).fill('  页面打不开 ')
  await input(user).press('Control+Enter')
  await expect(toast(user)).toHaveText('网络异常，请稍后再试')
  await expect(input(user)).toHaveValue('  页面打不开 ')
  await user.reload()
  await expect(input(user)).toHaveValue('  页面打不开 ')
  await press(user, '发送')
  await expect(toast(user)).toHaveText('发送成功')
  await expect(talk(user).locator('.bubble')).toHaveText(['页面打不开'])
  await expect(user.locator('.history li')).toHaveCount(1)
})

test('S128 S129 S130 the input grows with the text, to at most 20 rows', async ({ browser, product }) => {
  const site = await product.site()
  const user = await openSignedIn(browser, site)
  await user.goto(`${site.url}/user/feedback`)
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `第 ${at + 1} 行`).join('\n')
  for (const [written, rows] of [
    [1, 10],
    [14, 14],
    [40, 20],
    [2, 10],
  ] as const) {
    await input(user).fill(lines(written))
    await expect(input(user)).toHaveAttribute('rows', String(rows))
  }
  await begin(user, site)
  await expect(input(user)).toHaveAttribute('rows', '3')
  await input(user).fill(lines(30))
  await expect(input(user)).toHaveAttribute('rows', '20')
  await expect(user.getByRole('button', { name: '发送', exact: true })).toBeInViewport()
})

test('S131 S132 S421 S422 the reference is copied, and said so when the browser refuses', async ({
  browser,
  product,
}) => {
  const site = await product.site()
  const user = await openSignedIn(browser, site)
  const id = await begin(user, site)
  await user.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: site.url })
  await press(user, '复制编号')
  await expect(toast(user)).toHaveText('已复制编号')
  expect(await user.evaluate(() => navigator.clipboard.readText())).toBe(referenceOf(id))
  await user.evaluate(() => Object.assign(navigator.clipboard, { writeText: () => Promise.reject(new Error('no')) }))
  await press(user, '复制编号')
  await expect(toast(user)).toHaveText('复制失败，您的设备未开启复制权限')
})

test('a reply is seen within a second', { tag: '@full' }, async ({ browser, product }) => {
  const { user, operator } = await bothSides(browser, await product.site())
  const waits: number[] = []
  for (let turn = 1; turn <= 5; turn += 1) {
    await replyBox(operator).fill(`第 ${turn} 次`)
    const begun = Date.now()
    await press(operator, '发送')
    await expect(talk(user).getByText(`第 ${turn} 次`)).toBeVisible()
    waits.push(Date.now() - begun)
    await expect(replyBox(operator)).toHaveValue('')
  }
  const median = waits.sort((one, other) => one - other)[2] ?? 0
  expect(median, `seen after ${waits.join(', ')} ms`).toBeLessThan(timeLimit(1_000))
})

test('a reply is seen by itself, dots and titles follow, and reading clears them', async ({ browser, product }) => {
  const site = await product.site()
  const { user, operator } = await bothSides(browser, site)
  await reply(operator, '请稍等')
  await expect(talk(user).getByText('请稍等')).toBeVisible()
  await user.goto(`${site.url}/user/device`)
  await reply(operator, '还在吗')
  await expect(user).toHaveTitle(/^\(1\) /)
  await user.goto(`${site.url}/user/feedback`)
  await expect(user.getByRole('img', { name: '有未读消息' })).toBeVisible()
  await user.locator('.history li a').click()
  await expect(user).toHaveTitle('意见反馈')
  await expect(user.getByRole('img', { name: '有未读消息' })).toHaveCount(0)
})

test('one stream a browser: a second tab receives through the first, and goes on when that is closed', async ({
  browser,
  product,
}) => {
  const { user, operator, id } = await bothSides(browser, await product.site())
  let streams = 0
  user.context().on('request', (request) => {
    if (request.url().endsWith('/api/events')) streams += 1
  })
  const locks = (page: Page) =>
    page.evaluate(async () => {
      const { held = [], pending = [] } = await navigator.locks.query()
      return { held: held.length, pending: pending.length }
    })
  // The tab with the lock has the stream; the other waits for the lock.
  await expect.poll(() => locks(user)).toEqual({ held: 1, pending: 0 })
  const second = await user.context().newPage()
  await second.goto(user.url())
  await expect(input(second)).toBeVisible()
  await expect.poll(() => locks(second)).toEqual({ held: 1, pending: 1 })
  await reply(operator, '两边都看到')
  for (const page of [user, second]) await expect(talk(page).getByText('两边都看到')).toBeVisible()
  const before = streams
  expect(before).toBeLessThanOrEqual(1)
  await user.close()
  await expect.poll(() => streams).toBe(before + 1)
  await reply(operator, '仍然看到')
  await expect(talk(second).getByText('仍然看到')).toBeVisible()
  expect(second.url()).toContain(id)
})

test('S143 S144 S145 S217 the list: filter, search, opening replaces the address, and the next waiting one', async ({
  browser,
  product,
}) => {
  const site = await product.site()
  const user = await openSignedIn(browser, site)
  const ids: string[] = []
  for (const number of [1, 2, 3]) ids.push(await begin(user, site, `第 ${number} 个问题`))
  const operator = await openSignedIn(browser, site, ['READ', 'WRITE'])
  await operator.goto(`${site.url}/merchant/feedback`)
  const items = operator.locator('.history li')
  await expect(items).toHaveCount(3)
  await expect(items.first()).toContainText('第 1 个问题')
  const entries = await operator.evaluate(() => window.history.length)
  await items.first().getByRole('link').click()
  await expect(operator).toHaveURL(`${site.url}/merchant/feedback/${ids[0]}`)
  expect(await operator.evaluate(() => [window.history.length, window.scrollY])).toEqual([entries, 0])
  await reply(operator, '已处理')
  await expect(items).toHaveCount(2)
  await press(operator, '下一条')
  await expect(operator).toHaveURL(`${site.url}/merchant/feedback/${ids[1]}`)
  await operator.getByRole('radio', { name: '全部' }).click()
  await expect(items).toHaveCount(3)
  await operator.getByLabel('搜索编号或手机号').fill(referenceOf(ids[2] ?? ''))
  await expect(items).toHaveCount(1)
  await expect(items).toContainText('第 3 个问题')
  await operator.getByLabel('搜索编号或手机号').fill('')
  await operator.getByLabel('状态').selectOption({ label: '已回复' })
  await expect(items).toHaveCount(1)
  await expect(items).toContainText('已处理')
})

test('S146 S340 rights: without READ no access, without WRITE nothing to press, with READ a way to the other side', async ({
  browser,
  product,
}) => {
  const site = await product.site()
  const user = await openSignedIn(browser, site)
  const id = await begin(user, site)
  await user.goto(`${site.url}/merchant/feedback/${id}`)
  await expect(user.getByText('无权限访问').first()).toBeVisible()
  const reader = await openSignedIn(browser, site, ['READ'])
  await reader.goto(`${site.url}/user/feedback`)
  await expect(reader.getByText('管理员请前往')).toBeVisible()
  await reader.getByRole('link', { name: '「意见处理」' }).click()
  await reader.locator('.history li a').click()
  await expect(reader.getByRole('button', { name: '开始处理' })).toBeDisabled()
  await expect(reader.getByRole('button', { name: '发送' })).toBeDisabled()
  await expect(reader.getByText('没有权限执行此操作')).toBeVisible()
})

test('older messages come on demand, without the view jumping', async ({ browser, product }) => {
  const site = await product.site()
  const user = await openSignedIn(browser, site)
  const id = await begin(user, site, '消息 1')
  for (let number = 2; number <= 70; number += 1)
    await sendFromPage(user, JSON.stringify({ id, message: `消息 ${number}` }))
  await user.reload()
  await expect(talk(user).getByText('消息 70', { exact: true })).toBeInViewport()
  const first = talk(user).getByText('消息 21', { exact: true })
  await talk(user).evaluate((box) => box.scrollTo(0, 0))
  const above = (await first.boundingBox())?.y ?? 0
  await press(user, '查看更早的消息')
  await expect(talk(user).getByText('消息 1', { exact: true })).toBeAttached()
  expect(Math.abs(((await first.boundingBox())?.y ?? 0) - above)).toBeLessThan(4)
  await expect(talk(user).locator('.bubble')).toHaveCount(70)
  await expect(user.getByRole('button', { name: '查看更早的消息' })).toHaveCount(0)
})

test('both pages are free of faults and fit at every size, in light and dark', async ({ browser, product, page }) => {
  test.slow()
  const site = await product.site()
  const { user, operator, id } = await bothSides(browser, site)
  await reply(operator, '收到')
  await say(user, '补充一条比较长的说明，'.repeat(12))
  const viewport = page.viewportSize()
  for (const [each, path] of [
    [user, `/user/feedback/${id}`],
    [user, '/user/feedback'],
    [operator, `/merchant/feedback/${id}`],
    [operator, '/merchant/feedback'],
  ] as const) {
    if (viewport) await each.setViewportSize(viewport)
    await each.goto(site.url + path)
    await expect(each.locator('.history li').first()).toBeVisible()
    expect(await themedFaults(each)).toEqual([])
    expect(await misfits(each)).toEqual([])
    await each.setViewportSize({ width: 360, height: 740 })
    await each.evaluate(() => {
      document.documentElement.style.fontSize = '18px'
    })
    // The frame follows the new width with the next drawing.
    await expect.poll(() => misfits(each)).toEqual([])
    if (each === user) await expect(user.getByRole('button', { name: '发送' })).toBeInViewport({ ratio: 1 })
  }
  // The input is on the first screen of a phone.
  await user.goto(`${site.url}/user/feedback/${id}`)
  await expect(input(user)).toBeInViewport({ ratio: 1 })
  await expect(user.getByRole('button', { name: '发送' })).toBeInViewport({ ratio: 1 })
})
