import type { Page } from '@playwright/test'
import type { Screen } from './screen.ts'

const at = (day: number, hour: number, minute: number) => new Date(2026, 10, day, hour, minute).getTime()

const colleague = { id: 'c', name: '李雷' }
const notes = [
  { id: '1', author: colleague, text: '老客户，上个月也反馈过通知问题，注意语气。', time: at(12, 20, 32) },
  {
    id: '2',
    author: { id: 'd', name: '陈晨' },
    text: '11 月 11 日的订单确实没有推送记录。\n等技术查日志，明早跟进。',
    time: at(13, 9, 2),
  },
]
const replies = [
  ['催发货', '您好，已为您催促仓库，预计今天发出，发出后会短信通知您，请留意。'],
  ['开发票', '发票将在确认收货后 24 小时内发送到您的邮箱。'],
  ['收不到通知', '请在公众号菜单「我的」中重新登录一次，即可恢复通知。'],
  ['退款到账', '您好，退款将在 3 个工作日内原路退回，到账时间以银行为准。如果超过 5 个工作日仍未收到，请告诉我们。'],
].map(([title, text], number) => ({ id: String(number), title, text }))

/** What operators have among themselves beside the conversation of the pictures. */
export const deskAnswers: [string, object][] = [
  ['**/feedback/notes', notes],
  ['**/feedback/answering', []],
  ['**/replies/query', replies],
]

const unfold = async (page: Page) => {
  const fold = page.locator('.notes-unfold')
  if (await fold.isVisible()) await fold.click()
}
const openReplies = async (page: Page) => {
  await page.getByLabel('回复内容').fill('您好')
  await page.getByRole('button', { name: '快捷回复' }).click()
  await page.locator('[role=option]').first().waitFor()
}
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

const preparations: Record<string, (page: Page) => Promise<unknown>> = {
  notes: unfold,
  replies: openReplies,
  manage: async (page) => {
    await openReplies(page)
    await press(page, '管理')
  },
  reply: async (page) => {
    await openReplies(page)
    await press(page, '管理')
    await press(page, '修改「退款到账」')
  },
}

/** The operator's side; the conversation itself is laid by `lay`. */
export const deskScreens = (path: string, lay: (page: Page) => Promise<unknown>): Screen[] => [
  ...Object.entries(preparations).map(([name, prepare]) => ({
    name: `merchant-feedback-${name}`,
    path,
    signedIn: true,
    prepare: async (page: Page) => {
      await lay(page)
      await prepare(page)
    },
  })),
  {
    name: 'merchant-feedback-answering',
    path,
    signedIn: true,
    prepare: async (page) => {
      await lay(page)
      await page.route('**/feedback/answering', (route) => route.fulfill({ json: { data: [colleague] } }))
      await page.getByLabel('回复内容').fill('您好')
      await page.locator('.answering > span').waitFor()
    },
  },
]
