import type { Browser, Page } from '@playwright/test'
import { demoSms } from '../../tools/simulators/demo-gateways.ts'
import { expect, freshMobile, prefer, type StorySite, test } from './fixtures.ts'
import { axeFaults, createMember, enter, misfits, openEmpty, themedFaults } from './member.ts'

/** Signed in and on a page of the back-office. */
async function openAs(page: Page, site: StorySite, rights: string[], path = '/merchant') {
  await enter(page, site, await createMember(site, [], rights))
  await page.goto(site.url + path)
}

const row = (page: Page, name: string) => page.locator('main').getByRole('link', { name: new RegExp(`^${name}`) })
const lead = (page: Page) => page.locator('.merchant-lead')

/** Another user writes feedback to the merchant. */
async function sendFeedback(browser: Browser, site: StorySite) {
  const page = await (await browser.newContext()).newPage()
  await enter(page, site, await createMember(site))
  await page.goto(`${site.url}/user/feedback`)
  await page.getByLabel('反馈内容').fill('换绑手机号之后收不到订单通知')
  await page.getByRole('button', { name: '发送', exact: true }).click()
  await expect(page).toHaveURL(/\/user\/feedback\/[0-9a-f-]{36}$/)
}

test('S059 S134 S135 S136 S137 S138 S139 the home of the back-office: two cards, their links and no others', async ({
  page,
  product,
}) => {
  const site = await product.site()
  await openAs(page, site, ['READ'])
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('商户管理')
  await expect(page.locator('main section h2')).toHaveText(['客户服务', '商户管理'])
  const links = await page.locator('main section a').evaluateAll((all) => all.map((each) => each.getAttribute('href')))
  expect(links).toEqual([
    '/merchant/feedback',
    '/merchant/users',
    '/merchant/statistics',
    '/merchant/wechat',
    '/merchant/config',
  ])
  await expect(row(page, '微信集成')).toContainText('未配置')
  await expect(row(page, '配置')).toContainText('第 1 版')
  await expect(lead(page)).toHaveText(/^\d+ 月 \d+ 日，星期.。没有等待处理的意见。$/)
  await row(page, '使用量统计').click()
  await expect(page).toHaveURL(`${site.url}/merchant/statistics`)
  await page.goBack()
  await page.getByRole('link', { name: '操作日志' }).click()
  await expect(page).toHaveURL(`${site.url}/merchant/log`)
})

test('what waits is shown at once when a user writes', async ({ page, product, browser }) => {
  const site = await product.site()
  await openAs(page, site, ['READ'])
  await expect(row(page, '意见处理')).toContainText('所有意见都已处理')
  await sendFeedback(browser, site)
  await expect(row(page, '意见处理')).toContainText('1待处理')
  await expect(row(page, '意见处理')).toContainText('最早一条等待不足 1 分钟')
  await expect(lead(page)).toContainText('有 1 条意见等待处理。')
  await expect(row(page, '用户管理')).toContainText('共 2 位用户')
  // Visits are summed every other second, and asked for every tenth.
  await expect(row(page, '用户管理')).toContainText('2今日访问', { timeout: 15_000 })
})

/** Every gateway of the site refuses: it doesn't know these secrets. */
const refusingSms = { gateways: demoSms.gateways.map((gateway) => ({ ...gateway, secret: 'wrong' })) }

/** A visitor requests a code that no gateway accepts. */
async function askInVain(page: Page, site: StorySite) {
  await openEmpty(page, site)
  const ask = () =>
    page.evaluate(async (mobile) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
      const answer = await fetch('/api/verifyCode/mobile', {
        ...init,
        body: JSON.stringify({ mobilePrefix: '86', mobile }),
      })
      return ((await answer.json()) as { code: string }).code
    }, freshMobile())
  await expect.poll(ask).toBe('CODE_SEND_FAILED')
}

test('a bad day: what went wrong and who waits come first, each leading to where it is put right', {
  tag: '@full',
}, async ({ page, product, browser }) => {
  const site = await product.site({ sms: refusingSms })
  await askInVain(page, site)
  await sendFeedback(browser, site)
  await openAs(page, site, ['READ'])
  const failed = page.locator('main').getByRole('link', { name: /^近 24 小时有 1 条短信发送失败/ })
  // Noted in the process and written a second later.
  await expect(failed).toBeVisible({ timeout: 15_000 })
  await expect(page.locator('main h2')).toHaveText(['需要处理', '等待回复', '今日数据', '客户服务', '商户管理'])
  await expect(page.locator('.day-tile')).toHaveCount(3)
  expect(await axeFaults(page)).toEqual([])
  const talk = page.locator('.day-talk')
  await expect(talk).toHaveText('林知夏刚刚待处理换绑手机号之后收不到订单通知')
  await talk.click()
  await expect(page).toHaveURL(/\/merchant\/feedback\/[0-9a-f-]{36}$/)
  await page.goBack()
  await failed.click()
  await expect(page).toHaveURL(`${site.url}/merchant/config`)
})

test('without hints the links work', { tag: '@full' }, async ({ page, product }) => {
  const site = await product.site()
  await page.route('**/api/merchant/home', (route) => route.abort())
  await openAs(page, site, ['READ'])
  await expect(row(page, '意见处理')).toContainText('查看并回复用户的意见')
  await row(page, '意见处理').click()
  await expect(page).toHaveURL(`${site.url}/merchant/feedback`)
})

test('S339 a visitor is asked to sign in, and who has no right sees 无权限访问', { tag: '@full' }, async ({
  page,
  product,
}) => {
  const site = await product.site()
  await page.goto(`${site.url}/merchant`)
  await expect(page.getByText('请先登录').filter({ visible: true }).first()).toBeVisible()
  await openAs(page, site, [])
  await expect(page.getByText('无权限访问').first()).toBeVisible()
  await expect(page.locator('.merchant-row')).toHaveCount(0)
})

/** Of everything that can go wrong, some. */
const goWrong = (site: StorySite) =>
  site.query(
    `INSERT INTO trouble SELECT $1, kind, now(), 3, now(), 40164
     FROM unnest(ARRAY['wechat', 'smsFailed', 'mailFailed', 'wechatNoticeFailed']) kind`,
    [],
  )

test('the home is accessible and fits, in light and dark', async ({ page, product }) => {
  const site = await product.site()
  await goWrong(site)
  await openAs(page, site, ['READ'])
  await expect(page.locator('.attention-item')).toHaveCount(4)
  expect(await themedFaults(page)).toEqual([])
  expect(await misfits(page)).toEqual([])
})

test('at the largest font on the narrowest phone no row is cut or laid over another', async ({ page, product }) => {
  const site = await product.site()
  await goWrong(site)
  await prefer(page, { fontSize: 18 })
  await page.setViewportSize({ width: 360, height: 740 })
  await openAs(page, site, ['READ'])
  await expect(row(page, '配置')).toContainText('第 1 版')
  await expect(page.locator('.attention-item')).toHaveCount(4)
  expect(await misfits(page)).toEqual([])
  const cut = await page.locator('.merchant-row, .attention-item, .day-tile').evaluateAll((rows) =>
    rows.filter((each) =>
      [...each.querySelectorAll('*')].some((part) => {
        const [inner, outer] = [part.getBoundingClientRect(), each.getBoundingClientRect()]
        return inner.bottom > outer.bottom + 1 || inner.right > outer.right + 1 || inner.top < outer.top - 1
      }),
    ),
  )
  expect(cut).toEqual([])
})

test('S065 S172 S173 S344 AI管理: two empty tabs that a reload keeps', async ({ page, product }) => {
  const site = await product.site()
  await page.goto(`${site.url}/merchant/ai`)
  await expect(page.getByText('请先登录').filter({ visible: true }).first()).toBeVisible()
  await openAs(page, site, ['READ'], '/merchant/ai')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('AI管理')
  await expect(page.getByRole('tab')).toHaveText(['AI聊天', '配置'])
  await expect(page.getByRole('tabpanel')).toHaveText('AI 聊天尚未开放')
  await page.getByRole('tab', { name: 'AI聊天' }).press('ArrowRight')
  await expect(page.getByRole('tab', { name: '配置' })).toBeFocused()
  await page.reload()
  await expect(page.getByRole('tab', { name: '配置' })).toHaveAttribute('aria-selected', 'true')
  await expect(page.getByRole('tabpanel')).toHaveText('暂无可配置的内容')
  await expect(page.locator('main').locator('input, textarea, select')).toHaveCount(0)
  expect(await axeFaults(page)).toEqual([])
  expect(await misfits(page)).toEqual([])
})
