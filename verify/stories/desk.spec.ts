import type { Browser, Page } from '@playwright/test'
import { expect, freshMobile, type StorySite, test } from './fixtures.ts'
import { enter, misfits, password, themedFaults } from './member.ts'

const question = '换绑手机号之后收不到订单通知'

/** Signed in in a browser of their own, under a name that colleagues know. */
async function openSignedIn(browser: Browser, site: StorySite, nickname: string, rights: string[] = []): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  const username = `u${freshMobile()}`
  const id = await site.createUser({ username, password, nickname })
  if (rights.length > 0) await site.grant(id, rights)
  await enter(page, site, { id })
  return page
}

const replyBox = (page: Page) => page.getByLabel('回复内容')
const talk = (page: Page) => page.getByRole('log', { name: '沟通记录' })
const notes = (page: Page) => page.locator('.note-item')
const line = (page: Page) => page.locator('.answering')
const picker = (page: Page) => page.locator('dialog.replies')
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** A call as the page would make it. */
const callFrom = (page: Page, path: string, input: object) =>
  page.evaluate(
    async ([to, body]) => {
      const headers = { 'content-type': 'application/json' }
      return (await (await fetch(to ?? '', { method: 'POST', headers, body: body ?? '' })).json()) as { data: unknown }
    },
    [path, JSON.stringify(input)],
  )

/** Everything that a browser receives, except the pages themselves. */
function listen(page: Page): () => string {
  const received: string[] = []
  page.on('response', (response) => {
    if (response.url().includes('/api/') && !response.url().endsWith('/api/events'))
      void response.text().then(
        (text) => received.push(text),
        () => undefined,
      )
  })
  return () => received.join('\n')
}

/** A user with a conversation, and operators who have it open, each in a browser of their own. */
async function atDesk(browser: Browser, site: StorySite, names: string[], rights = ['READ', 'WRITE']) {
  const user = await openSignedIn(browser, site, '林知夏')
  const { data } = await callFrom(user, '/api/user/feedback/send', { message: question })
  const { id } = data as { id: string }
  await user.goto(`${site.url}/user/feedback/${id}`)
  const operators: Page[] = []
  for (const name of names) operators.push(await openSignedIn(browser, site, name, rights))
  for (const operator of operators) {
    await operator.goto(`${site.url}/merchant/feedback/${id}`)
    await expect(talk(operator).getByText(question)).toBeVisible()
  }
  return { id, user, operators: operators as [Page, Page] }
}

const unfold = (page: Page) => page.locator('.notes-unfold').click()

async function note(page: Page, text: string) {
  await page.getByLabel('备注内容').fill(text)
  await page.getByLabel('备注内容').press('Control+Enter')
  await expect(page.getByLabel('备注内容')).toHaveValue('')
}

test('a note reaches the colleague at once and the user never; only who wrote it takes it back', async ({
  browser,
  product,
}) => {
  const { user, operators } = await atDesk(browser, await product.site(), ['陈晨', '李雷'])
  const [one, other] = operators
  const received = listen(user)
  for (const operator of operators) await unfold(operator)
  await expect(one.getByText('仅客服可见，用户看不到').last()).toBeVisible()
  const list = await other.locator('.history li').allInnerTexts()
  await note(one, '老客户，注意语气')
  await expect(notes(other)).toContainText('老客户，注意语气')
  await expect(notes(other)).toContainText('陈晨')
  await note(other, '已联系仓库')
  await expect(notes(one)).toHaveCount(2)
  await expect(other.getByRole('button', { name: '删除备注' })).toHaveCount(1)
  expect(await other.locator('.history li').allInnerTexts()).toEqual(list)
  await one.getByRole('button', { name: '删除备注' }).click()
  await one.getByRole('dialog').getByRole('button', { name: '取消' }).click()
  await expect(notes(one)).toHaveCount(2)
  await one.getByRole('button', { name: '删除备注' }).click()
  await one.getByRole('dialog').getByRole('button', { name: '删除', exact: true }).click()
  await expect(notes(other)).toHaveCount(1)
  await expect(notes(other)).toContainText('已联系仓库')
  await callFrom(user, '/api/user/feedback/query', {})
  await user.reload()
  await expect(talk(user).getByText(question)).toBeVisible()
  for (const words of ['老客户', '已联系仓库', '陈晨', '李雷']) {
    expect(received()).not.toContain(words)
    expect(await user.locator('body').innerText()).not.toContain(words)
  }
  await expect(talk(user).locator('.bubble')).toHaveText([question])
})

test('a note that was being written survives a reload, and what is noted isn’t in the reply', { tag: '@full' }, async ({
  browser,
  product,
}) => {
  const { operators } = await atDesk(browser, await product.site(), ['陈晨'])
  const [operator] = operators
  await unfold(operator)
  await operator.getByLabel('备注内容').fill('写到一半')
  await operator.reload()
  await unfold(operator)
  await expect(operator.getByLabel('备注内容')).toHaveValue('写到一半')
  await expect(replyBox(operator)).toHaveValue('')
  await press(operator, '添加备注')
  await expect(notes(operator)).toHaveText(/写到一半/)
})

/** An operator who stops right after starting isn't announced at once, but shown when the page next asks. */
const soon = { timeout: 10_000 }

test('who is answering is shown at once, blocks no one from sending, and the user receives nothing of it', async ({
  browser,
  product,
}) => {
  test.slow()
  const { user, operators } = await atDesk(browser, await product.site(), ['陈晨', '李雷'])
  const [one, other] = operators
  const received = listen(user)
  await replyBox(one).pressSequentially('您好')
  await expect(line(other)).toHaveText('陈晨 正在回复', { timeout: 3_000 })
  await expect(line(one)).toHaveText('')
  await replyBox(one).fill('')
  await expect(line(other)).toHaveText('', soon)
  await replyBox(one).pressSequentially('您好，请问')
  await expect(line(other)).toHaveText('陈晨 正在回复', soon)
  await replyBox(other).fill('已经在查了')
  await expect(line(one)).toHaveText('李雷 正在回复', soon)
  await press(other, '发送')
  await expect(talk(user).getByText('已经在查了')).toBeVisible()
  await expect(line(one)).toHaveText('', soon)
  await expect(replyBox(one)).toHaveValue('您好，请问')
  await replyBox(one).press('End')
  await replyBox(one).pressSequentially('什么时候')
  await expect(line(other)).toHaveText('陈晨 正在回复', soon)
  await callFrom(user, '/api/user/feedback/send', { message: '另一个问题' })
  await one.locator('.history li a', { hasText: '另一个问题' }).click()
  await expect(line(other)).toHaveText('', soon)
  await expect(user.getByText('正在回复')).toHaveCount(0)
  for (const name of ['陈晨', '李雷']) expect(received()).not.toContain(name)
})

test('an answer kept ready by one is inserted by another, with keys where there are some, and sent only then', async ({
  browser,
  product,
}, { project }) => {
  const { user, operators } = await atDesk(browser, await product.site(), ['陈晨', '李雷'])
  const [one, other] = operators
  await press(one, '快捷回复')
  await expect(picker(one)).toContainText('还没有快捷回复')
  await press(one, '新增快捷回复')
  await one.getByLabel('标题').fill('退款')
  await one.getByLabel('内容', { exact: true }).fill('退款将在 3 个工作日内退回。')
  await press(one, '保存')
  await expect(picker(one).getByRole('option')).toHaveCount(1)
  await one.keyboard.press('Escape')
  await replyBox(one).fill('已为您催促仓库。')
  await press(one, '快捷回复')
  await press(one, '存为快捷回复')
  await one.getByLabel('标题').fill('催发货')
  await one.getByLabel('标题').press('Enter')
  await expect(picker(one).getByRole('option')).toHaveCount(2)
  await one.keyboard.press('Escape')
  await expect(replyBox(one)).toHaveValue('已为您催促仓库。')
  await replyBox(other).pressSequentially('/')
  await expect(picker(other).getByRole('option')).toHaveCount(2)
  if (project.name === 'phone') await picker(other).getByRole('option', { name: '退款' }).tap()
  else {
    await other.keyboard.type('3 个工作日')
    await expect(picker(other).getByRole('option')).toHaveCount(1)
    await other.keyboard.press('Enter')
  }
  await expect(picker(other)).toHaveCount(0)
  await expect(replyBox(other)).toBeFocused()
  await other.keyboard.type('请留意。')
  await expect(replyBox(other)).toHaveValue('退款将在 3 个工作日内退回。请留意。')
  await expect(talk(other).locator('.bubble')).toHaveCount(1)
  await replyBox(other).press('Control+Enter')
  await expect(talk(user).getByText('退款将在 3 个工作日内退回。请留意。')).toBeVisible()
})

test('the answers are kept in order: changed, and removed after a question', async ({ browser, product }) => {
  const { operators } = await atDesk(browser, await product.site(), ['陈晨'])
  const [operator] = operators
  for (const title of ['一', '二'])
    await callFrom(operator, '/api/merchant/replies/save', { title, text: `第${title}条` })
  await press(operator, '快捷回复')
  await press(operator, '管理')
  await press(operator, '修改「一」')
  await operator.getByLabel('内容', { exact: true }).fill('改过的')
  // One step back, and nothing is lost but what was typed here.
  await operator.keyboard.press('Escape')
  await expect(picker(operator).getByRole('heading')).toHaveText('管理快捷回复')
  await press(operator, '修改「一」')
  await operator.getByLabel('内容', { exact: true }).fill('改好的')
  await press(operator, '保存')
  await expect(picker(operator).locator('li').filter({ hasText: '改好的' })).toHaveCount(1)
  await press(operator, '删除「二」')
  await operator.locator('dialog.dialog').getByRole('button', { name: '删除', exact: true }).click()
  await expect(picker(operator).locator('li')).toHaveCount(1)
  await picker(operator).getByRole('button', { name: '返回' }).click()
  await expect(picker(operator).getByRole('option')).toHaveCount(1)
})

test('without WRITE notes and answers are read, and nothing can be done', { tag: '@full' }, async ({
  browser,
  product,
}) => {
  const site = await product.site()
  const { id } = await atDesk(browser, site, [])
  const writer = await openSignedIn(browser, site, '陈晨', ['READ', 'WRITE'])
  const key = '7f3a9c41-5b1e-4d0c-a2f7-19c0de8b6a55'
  await callFrom(writer, '/api/merchant/feedback/addNote', { id, text: '注意语气', key })
  await callFrom(writer, '/api/merchant/replies/save', { title: '退款', text: '三天内退回' })
  const reader = await openSignedIn(browser, site, '李雷', ['READ'])
  await reader.goto(`${site.url}/merchant/feedback/${id}`)
  await unfold(reader)
  await expect(notes(reader)).toContainText('注意语气')
  await expect(reader.getByLabel('备注内容')).toHaveCount(0)
  await expect(reader.getByRole('button', { name: '添加备注' })).toBeDisabled()
  await press(reader, '快捷回复')
  await picker(reader).getByRole('option').click()
  await expect(replyBox(reader)).toHaveValue('')
  await expect(picker(reader).getByRole('button', { name: '管理' })).toBeDisabled()
})

test('what the user thought of it is seen by operators at once, with their words, and as a star in the list', {
  tag: '@full',
}, async ({ browser, product }) => {
  const { id, user, operators } = await atDesk(browser, await product.site(), ['陈晨'])
  const [operator] = operators
  await replyBox(operator).fill('已处理')
  await press(operator, '发送')
  await press(operator, '已解决')
  const badge = operator.locator('.chat > header .badge')
  await expect(badge).toHaveText('待用户确认')
  await callFrom(user, '/api/user/feedback/confirm', { id })
  await expect(badge).toHaveText('已结束')
  await callFrom(user, '/api/user/feedback/rate', { id, score: 4, words: '回复很快' })
  const given = operator.locator('.rating-given')
  await expect(given).toContainText('回复很快')
  await expect(given.getByRole('img', { name: '4 星，满意' })).toBeVisible()
  await operator.getByRole('radio', { name: '全部' }).click()
  await expect(operator.locator('.item-rated')).toHaveText('4')
})

test('notes and picker are free of faults and fit at every size, in light and dark', async ({ browser, product }) => {
  test.slow()
  const { operators } = await atDesk(browser, await product.site(), ['陈晨'])
  const [operator] = operators
  await callFrom(operator, '/api/merchant/replies/save', { title: '退款', text: '三天内退回。'.repeat(30) })
  await unfold(operator)
  await note(operator, '一条比较长的备注，'.repeat(20))
  await replyBox(operator).fill('您好')
  expect(await themedFaults(operator)).toEqual([])
  const enlarge = () =>
    operator.evaluate(() => {
      document.documentElement.style.fontSize = '18px'
    })
  for (const width of [0, 800, 360, 1900]) {
    // A change of theme sets the size of letters anew.
    if (width === 360 || width === 1900) await enlarge()
    if (width > 0) await operator.setViewportSize({ width, height: 740 })
    await expect.poll(() => misfits(operator)).toEqual([])
    // Nothing sticks out of the card.
    const inside = () =>
      operator.locator('.chat').evaluate((card) => {
        const { bottom } = card.getBoundingClientRect()
        return (card.querySelector('.compose')?.getBoundingClientRect().bottom ?? 0) <= bottom
      })
    await expect.poll(inside).toBe(true)
    await press(operator, '快捷回复')
    await expect(picker(operator).getByRole('option')).toBeInViewport()
    expect(await themedFaults(operator)).toEqual([])
    await press(operator, '管理')
    await press(operator, '修改「退款」')
    await expect(operator.getByRole('button', { name: '保存' })).toBeVisible()
    expect(await themedFaults(operator)).toEqual([])
    await press(operator, '关闭')
  }
})
