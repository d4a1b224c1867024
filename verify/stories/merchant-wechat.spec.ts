import { randomBytes } from 'node:crypto'
import { shortId } from '@hufu/contract/merchant-rights'
import type { Page } from '@playwright/test'
import { openidOf, people } from '../../tools/simulators/wechat-users.ts'
import { expect, freshMobile, prefer, type StorySite, test as story } from './fixtures.ts'
import { axeFaults, createMember, enter, misfits } from './member.ts'

interface Office {
  site: StorySite
  /** What shall happen to the official account. */
  order(order: object): Promise<void>
  /** How often WeChat was called. */
  asked(path: string): Promise<number>
  /** A user of the site whose WeChat this is; `messages` are those that reached them there. */
  user(
    id: string,
    nickname: string,
  ): Promise<{ id: string; messages: () => Promise<{ subject?: string; text: string }[]> }>
  /** Signed in with these rights, on the page. */
  enter(search?: string, rights?: string[]): Promise<void>
  /** The same by way of the back-office's home page, on the tab of the menu. */
  comeFromHome(): Promise<void>
}

const test = story.extend<{ office: Office }>({
  office: async ({ page, product, ground, messagesTo }, use) => {
    const account = { appId: `wx${randomBytes(8).toString('hex')}`, secret: randomBytes(16).toString('hex') }
    const control = `${ground.wechatUrl}/control`
    const order = async (wanted: object) => {
      const body = JSON.stringify({ appId: account.appId, ...wanted })
      expect((await fetch(control, { method: 'POST', body })).status).toBe(200)
    }
    await order(account)
    const site = await product.site({ wechat: account })
    await use({
      site,
      order,
      async asked(path) {
        const { data } = await (await fetch(`${control}?appid=${account.appId}`)).json()
        return data.counts[`/cgi-bin/${path}`] ?? 0
      },
      async user(name, nickname) {
        const id = await site.createUser({ mobile: freshMobile(), nickname })
        const phone = people.find((each) => each.id === name)
        const openid = phone ? openidOf(account.appId, phone) : ''
        await site.query('INSERT INTO user_identity (site_id, user_id, kind, value) VALUES ($1, $2, $3, $4)', [
          id,
          `wechat.openid:${account.appId}`,
          openid,
        ])
        return { id, messages: () => messagesTo(openid) }
      },
      async enter(search = '', rights = ['READ', 'WRITE', 'ADMIN']) {
        await enter(page, site, await createMember(site, [], rights), { checked: true })
        await page.goto(`${site.url}/merchant/wechat${search}`)
        await expect(page.getByRole('tablist', { name: '微信管理' })).toBeVisible()
      },
      async comeFromHome() {
        await enter(page, site, await createMember(site, [], ['READ', 'WRITE']), { checked: true })
        await page.goto(`${site.url}/merchant`)
        await page.getByRole('main').locator('a[href="/merchant/wechat"]').click()
        await page.getByRole('tab', { name: '微信菜单维护' }).click()
        await expect(menu(page)).toContainText('服务')
      },
    })
  },
})

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const goOn = (page: Page) => page.getByRole('dialog').getByRole('button').last().click()
const toast = (page: Page) => page.locator('.toast')
const diagnosis = (page: Page) => page.locator('.diagnosis')
/** The editor itself, not the plain field that stands there until it has come. */
const editor = (page: Page, label: string) => page.locator(`.cm-content[aria-label="${label}"]`)
const menu = (page: Page) => editor(page, '菜单内容（JSON）')
const params = (page: Page) => editor(page, '参数')

/** Writes an editor anew. */
async function write(page: Page, label: string, text: string) {
  await editor(page, label).click()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.insertText(text)
}
const writeMenu = (page: Page, text: string) => write(page, '菜单内容（JSON）', text)
const writeParams = (page: Page, text: string) => write(page, '参数', text)

/** What stands in an editor, without what it says about it. */
const textIn = (page: Page, label: string) =>
  editor(page, label).evaluate((content) =>
    [...content.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n'),
  )

test('S148 D045 S439 the token: a tap, masked, shown, and within a minute the server is not called again', {
  tag: '@full',
}, async ({ page, office }) => {
  const calls: string[] = []
  page.on('request', (request) => void (request.url().endsWith('/wechat/token') && calls.push(request.url())))
  await office.enter()
  await expect(page.getByText('每次获取都会记入操作日志')).toBeVisible()
  expect(calls).toHaveLength(0)
  await press(page, '获取')
  await expect(page.getByText(/有效期至 .*还剩 1\d\d 分钟/)).toBeVisible()
  await expect(page.locator('.token')).not.toContainText(/[\w-]{40}/)
  await press(page, '显示')
  await expect(page.locator('.token')).toHaveText(/^[\w-]{100,}$/)
  expect(await axeFaults(page)).toEqual([])
  expect(await misfits(page)).toEqual([])
  await page.getByRole('tab', { name: '微信菜单维护' }).click()
  await page.getByRole('tab', { name: '微信Token' }).click()
  await press(page, '重新获取')
  await expect(page.locator('.token')).toBeVisible()
  expect(calls).toHaveLength(1)
})

test('what WeChat refuses is explained where it happened, each with what to do', { tag: '@full' }, async ({
  page,
  office,
}) => {
  test.slow()
  const token = { path: '/cgi-bin/stable_token' }
  await office.order({ ...token, errcode: 40164 })
  await office.enter()
  await press(page, '获取')
  await expect(toast(page)).toHaveText('微信拒绝了此操作')
  await expect(diagnosis(page)).toContainText('请在公众平台的「基本配置」中添加：127.0.0.1')
  await expect(page.getByRole('button', { name: '复制服务器地址' })).toBeVisible()
  expect(await axeFaults(page)).toEqual([])
  expect(await misfits(page)).toEqual([])
  for (const [errcode, words] of [
    [40125, 'AppSecret 不正确'],
    [40013, 'AppID 不正确'],
    [45009, '今日的调用次数已用完'],
    [-1, '微信没有回应或正忙'],
  ] as const) {
    await office.order({ ...token, errcode })
    // WeChat is not called again right after it has failed.
    await expect(async () => {
      await press(page, '获取')
      await expect(diagnosis(page)).toContainText(words, { timeout: 500 })
    }).toPass()
  }
  await office.order({ ...token, errcode: 0, count: 0 })
  await expect(async () => {
    await press(page, '获取')
    await expect(page.locator('.token')).toBeVisible({ timeout: 500 })
  }).toPass()
  await expect(diagnosis(page)).toBeHidden()
})

test('S149 S150 S427 S437 the menu is loaded, changed in either shape, tried out and saved', async ({
  page,
  office,
}) => {
  await office.enter('?tab=menu')
  await expect(menu(page)).toContainText('https://www.qingyu.example/')
  const line = await page.locator('.cm-line').first().boundingBox()
  const row = line?.height ?? 0
  const { height = 0 } = (await page.locator('.json-host').boundingBox()) ?? {}
  expect(height).toBeGreaterThanOrEqual(10 * row)
  expect(height).toBeLessThanOrEqual(20 * row + 24)

  await press(page, '服务')
  await press(page, '官网')
  await expect(page.locator('.menu-target')).toContainText('打开网页')
  const read = (await textIn(page, '菜单内容（JSON）')).replace('帮助', '求助')
  await writeMenu(page, read)
  await expect(page.getByText('有未保存的修改')).toBeVisible()
  await press(page, '保存')
  await expect(page.getByRole('dialog')).toContainText('保存后对所有关注者生效')
  expect(await office.asked('menu/create')).toBe(0)
  await goOn(page)
  await expect(toast(page)).toHaveText('修改成功')

  const written = { button: [{ name: '更多', sub_button: [{ type: 'click', name: '联系我们', key: 'CONTACT' }] }] }
  await writeMenu(page, JSON.stringify(written))
  await press(page, '格式化')
  // What lies below the first entry is still open.
  await press(page, '联系我们')
  await expect(page.locator('.menu-target')).toContainText('CONTACT')
  expect(await axeFaults(page)).toEqual([])
  expect(await misfits(page)).toEqual([])
  await press(page, '保存')
  await goOn(page)
  await expect.poll(() => office.asked('menu/create')).toBe(2)
  await page.reload()
  await expect(menu(page)).toContainText('联系我们')
  const below = [{ type: 'click', name: '联系我们', key: 'CONTACT' }]
  expect(JSON.parse(await textIn(page, '菜单内容（JSON）'))).toEqual({
    button: [{ name: '更多', sub_button: { list: below } }],
  })
})

test('S317 S318 invalid JSON and what WeChat wouldn’t take are reported at their line, and nothing is sent', {
  tag: '@full',
}, async ({ page, office }) => {
  await office.enter('?tab=menu')
  await writeMenu(page, '{\n  "button": [\n    { "type": "view" "name": "官网" }\n  ]\n}')
  await expect(page.locator('.cm-line.cm-bad')).toContainText('"type": "view"')
  await press(page, '保存')
  await expect(toast(page)).toHaveText('JSON格式错误')
  await writeMenu(page, '{\n  "button": [\n    {\n      "type": "News",\n      "name": "活动"\n    }\n  ]\n}')
  await expect(page.locator('.cm-line.cm-bad')).toHaveText(/"type": "News"/)
  await expect(page.locator('.cm-why')).toContainText('「图文消息」（News）只能在微信公众平台中设置')
  expect(await axeFaults(page)).toEqual([])
  await press(page, '保存')
  await expect(toast(page)).toHaveText('菜单不符合微信的要求，请按提示修改')
  await expect(page.getByRole('dialog')).toBeHidden()
  expect(await office.asked('menu/create')).toBe(0)
})

test('a menu that WeChat refuses stays in the editor; leaving the page with it asks first', async ({
  page,
  office,
}) => {
  await office.order({ path: '/cgi-bin/menu/create', errcode: 40018, count: 1 })
  await office.comeFromHome()
  await writeMenu(page, '{"button":[{"type":"click","name":"客服","key":"KEFU"}]}')
  await press(page, '保存')
  await goOn(page)
  await expect(diagnosis(page)).toContainText('菜单按钮的名称为空或过长')

  const leaving = page.getByRole('dialog', { name: '离开此页面？' })
  await page.goBack()
  await expect(leaving).toBeVisible()
  await press(page, '取消')
  await expect(menu(page)).toContainText('KEFU')
  await page.goBack()
  await expect(leaving).toBeVisible()
  await goOn(page)
  await expect(page).toHaveURL(`${office.site.url}/merchant`)
})

test('after saving one step back leaves the page', async ({ page, office }) => {
  await office.comeFromHome()
  await writeMenu(page, '{"button":[{"type":"click","name":"客服","key":"KEFU"}]}')
  await press(page, '保存')
  await goOn(page)
  await expect(toast(page)).toHaveText('修改成功')
  await page.goBack()
  await expect(page).toHaveURL(`${office.site.url}/merchant`)
})

test('an account without a menu starts with an example that WeChat takes', { tag: '@full' }, async ({
  page,
  office,
}) => {
  await office.order({ menu: null })
  await office.enter('?tab=menu')
  await expect(page.getByText('公众号还没有菜单')).toBeVisible()
  await press(page, '填入示例')
  await press(page, '服务')
  await press(page, '用户中心')
  await press(page, '保存')
  await goOn(page)
  await expect(toast(page)).toHaveText('修改成功')
})

test('S151 S152 S153 S154 S155 S156 S157 S323 S324 S325 S426 a message: found by nickname, written, sent, received', async ({
  page,
  office,
}) => {
  const { id, messages } = await office.user('lin', '林小满')
  await office.enter('?tab=message')
  await page.getByLabel('用户 ID').fill('林小')
  await page.getByRole('option', { name: /林小满/ }).click()
  await expect(page.getByLabel('用户 ID')).toHaveValue(shortId(id))
  await page.getByLabel('消息模板').selectOption('订单发货通知')
  await expect(page.getByLabel('模板 ID', { exact: true })).toHaveValue('iPk5sOIt5X_flOVKn5GrTFpncEYTojx6ddbt8WYoV5s')
  await expect(params(page)).toContainText('"character_string1": ""')
  await expect(page.locator('.wxmsg')).toContainText('{{thing2.DATA}}')
  await writeParams(page, '{"character_string1": "SF1", "thing2": "海盐香皂", "time3": ""}')
  await expect(page.locator('.wxmsg')).toContainText('海盐香皂')
  await expect(page.locator('.wxmsg')).toContainText('{{time3.DATA}}')
  await writeParams(page, '{"character_string1": "SF1", "thing2": "海盐香皂", "time3": "10:20"}')
  await page.getByLabel('跳转地址').fill('https://a.example/o/1')
  expect(await axeFaults(page)).toEqual([])
  expect(await misfits(page)).toEqual([])
  await press(page, '发送')
  await expect(page.getByRole('dialog')).toContainText('推送后立即送达，无法撤回')
  expect(await messages()).toHaveLength(0)
  await goOn(page)
  await expect(toast(page)).toHaveText('发送成功')
  await expect(page.getByText(/发送成功，消息编号 \d{19}/)).toBeVisible()
  expect(await messages()).toMatchObject([
    { subject: '订单发货通知', text: '订单号:SF1\n商品名称:海盐香皂\n发货时间:10:20' },
  ])
  // The form stays, and the same message isn't sent twice.
  await press(page, '发送')
  await goOn(page)
  await expect(page.getByText('微信没有重复推送')).toBeVisible()
  expect(await messages()).toHaveLength(1)
})

test('S321 S322 who can’t get a message, and what WeChat refuses about it', { tag: '@full' }, async ({
  page,
  office,
}) => {
  const { id } = await office.user('zhou', '周末')
  await office.enter(`?user=${id}`)
  await expect(page.getByText('周末')).toBeVisible()
  await page.getByLabel('消息模板').selectOption('订单发货通知')
  await writeParams(page, '{"thing2": ')
  await press(page, '发送')
  await expect(toast(page)).toHaveText('JSON格式错误')
  await expect(page.getByRole('dialog')).toBeHidden()

  const long = '一'.repeat(21)
  await writeParams(page, `{"character_string1": "SF1", "thing2": "${long}", "time3": "10:20"}`)
  await expect(page.locator('.cm-why')).toHaveText('微信要求最多 20 个字符')
  await press(page, '发送')
  await expect(page.getByRole('dialog')).toContainText('有 1 个参数不符合微信的要求')
  await goOn(page)
  await expect(diagnosis(page)).toContainText('该用户没有关注公众号，无法接收消息')

  for (const [errcode, words] of [
    [40003, '该用户的微信标识无效'],
    [43101, '该用户拒绝接收此消息'],
    [47003, '模板参数的内容不符合要求'],
  ] as const) {
    await office.order({ path: '/cgi-bin/message/template/send', errcode })
    await press(page, '发送')
    await goOn(page)
    await expect(diagnosis(page)).toContainText(words)
  }
  const stranger = await office.site.createUser({ mobile: freshMobile(), nickname: '没有微信' })
  await page.getByLabel('用户 ID').fill(stranger)
  await press(page, '发送')
  await goOn(page)
  await expect(page.getByRole('alert')).toHaveText('该用户没有绑定微信')
})

test('an operator who may only read can look, and sees why nothing can be changed', { tag: '@full' }, async ({
  page,
  office,
}) => {
  await office.enter('?tab=menu', ['READ'])
  await expect(menu(page)).toContainText('服务')
  for (const [tab, name] of [
    ['微信菜单维护', '保存'],
    ['微信消息推送', '发送'],
    ['微信Token', '获取'],
  ] as const) {
    await page.getByRole('tab', { name: tab }).click()
    await expect(page.getByRole('button', { name, exact: true })).toBeDisabled()
    await expect(page.getByText('没有权限执行此操作').first()).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
  }
  expect(await office.asked('menu/create')).toBe(0)
})

test('S413 a site without an account is shown the way to its config', { tag: '@full' }, async ({ page, product }) => {
  const site = await product.site()
  await enter(page, site, await createMember(site, [], ['READ', 'WRITE', 'ADMIN']))
  await page.goto(`${site.url}/merchant/wechat?tab=menu`)
  await expect(toast(page)).toHaveText('本站未开通微信登录')
  await expect(page.getByRole('link', { name: '前往配置' })).toHaveAttribute('href', '/merchant/config')
})

test('dark, at the largest font on a narrow screen nothing is cut', async ({ page, office }) => {
  await prefer(page, { dark: true, fontSize: 18 })
  await office.enter()
  if ((page.viewportSize()?.width ?? 0) < 400) await page.setViewportSize({ width: 360, height: 740 })
  await press(page, '获取')
  for (const tab of ['微信Token', '微信菜单维护', '微信消息推送']) {
    await page.getByRole('tab', { name: tab }).click()
    if (tab === '微信菜单维护') await expect(menu(page)).toBeVisible()
    if (tab === '微信消息推送') await page.getByLabel('消息模板').selectOption('会员积分变动提醒')
    expect(await axeFaults(page)).toEqual([])
    expect(await misfits(page)).toEqual([])
  }
})
