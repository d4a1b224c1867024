import type { Page } from '@playwright/test'
import { deskAnswers, deskScreens } from './feedback-desk.ts'
import { choosePictures, shots, withPictures } from './feedback-shots.ts'
import type { Screen } from './screen.ts'

const feedbackId = '7f3a9c41-5b1e-4d0c-a2f7-19c0de8b6a55'
const feedbackPath = `/user/feedback/${feedbackId}`
const merchantFeedbackPath = `/merchant/feedback/${feedbackId}`
const at = (day: number, hour: number, minute: number) => new Date(2026, 10, day, hour, minute).getTime()

const said = [
  {
    role: 'user',
    message: '你好，昨天换绑手机号之后，公众号就收不到订单通知了，重新关注也没有用。',
    time: at(12, 20, 14),
  },
  { role: 'merchant', message: '', status: 1, time: at(12, 20, 31) },
  {
    role: 'merchant',
    message: '您好，已收到您的反馈。请问换绑之后重新登录过吗？方便的话，请告诉我们最近一笔订单的下单时间。',
    time: at(12, 20, 33),
  },
  { role: 'user', message: '登录过的。最近一笔是 11 月 11 日 19:42 下的单。', time: at(12, 20, 40) },
  {
    role: 'merchant',
    message: '感谢补充。换绑后公众号仍关联着旧账号，现已为您重新关联，新的订单通知会正常送达。',
    time: at(13, 10, 5),
  },
]
const movedTo: Record<number, object[]> = {
  3: [{ role: 'merchant', message: '', status: 3, time: at(13, 10, 6) }],
  4: [
    { role: 'merchant', message: '', status: 3, time: at(13, 10, 6) },
    { role: 'user', message: '', status: 4, time: at(13, 11, 20) },
  ],
  5: [{ role: 'merchant', message: '', status: 5, time: at(13, 10, 6) }],
}

/** A conversation as it stands at a status, of the user that all pictures show. */
function conversationAt(status: number) {
  const shown = status === 0 ? said.slice(0, 1) : status === 1 ? said.slice(0, 4) : said
  const entries = [...shown, ...(movedTo[status] ?? [])].map((entry, index) => ({ ...entry, seq: index + 1 }))
  const texts = (role: string) => shown.filter((entry) => entry.role === role && entry.message).length
  return {
    id: feedbackId,
    status,
    mobile: '138****5678',
    time: at(13, 10, 5),
    content: JSON.stringify(entries),
    more: false,
    lastSeq: entries.length,
    waitingSince: status < 2 ? at(12, 20, 14) : null,
    unread: false,
    offered: status === 3,
    userTexts: texts('user'),
    merchantTexts: texts('merchant'),
    rating: null,
  }
}

const listedAt = (status: number) => {
  const line = (id: string, mobile: string, state: number, time: number, message: string, unread = false) => ({
    ...conversationAt(state),
    id: `${id}41-5b1e-4d0c-a2f7-19c0de8b6a55`,
    mobile,
    time,
    unread,
    content: JSON.stringify([{ seq: 1, role: 'user', message, time }]),
  })
  const last = said.at(status === 0 ? 0 : -1)
  return [
    line('7f3a9c', '138****5678', status, last?.time ?? 0, last?.message ?? ''),
    line('b20e51', '186****2047', 0, at(15, 9, 12), '付款成功后页面一直转圈，返回再进来订单又是未支付。', true),
    line('4c9d77', '159****8830', 1, at(14, 20, 22), '验证码倒计时结束后点重新发送没有反应，换浏览器可以。'),
    line('e1a608', '177****6402', 5, at(14, 9, 40), '希望支持用企业微信扫码登录。'),
    line('0d52c3', '139****0368', 4, at(9, 16, 3), '头像上传后显示很模糊。'),
  ]
}

const asker = {
  id: 'p',
  nickname: '林知夏',
  mobile: '138****5678',
  avatar: null,
  since: at(2, 8, 30),
  devices: [
    { browser: '微信', os: 'iOS 18', region: '广东省 深圳市', time: at(14, 21, 4) },
    { browser: 'Chrome 142', os: 'Windows 11', region: '广东省 深圳市', time: at(12, 19, 50) },
  ],
  earlier: [
    {
      id: 'b20e5141-5b1e-4d0c-a2f7-19c0de8b6a55',
      status: 4,
      time: at(3, 14, 2),
      preview: '建议在设备列表里显示城市。',
    },
  ],
}

/** Both sides' calls as of a conversation at a status. */
async function feedbackAt(page: Page, status: number) {
  const answers: [string, object][] = [
    ['**/feedback/read', conversationAt(status)],
    ['**/feedback/query', { count: 5, data: listedAt(status) }],
    ['**/feedback/person', asker],
    ['**/feedback/unread', { user: 1, merchant: 3 }],
    ...deskAnswers,
  ]
  for (const [path, data] of answers) await page.route(path, (route) => route.fulfill({ json: { data } }))
  await page.reload({ waitUntil: 'networkidle' })
}

/** The conversation once pictures were sent by both, and how the user rated it. */
async function pictureTalk(page: Page, status: number, rating: object | null = null) {
  await withPictures(page)
  const talk = conversationAt(status)
  const said = JSON.parse(talk.content) as object[]
  const time = at(13, 10, 30)
  const more = [
    { role: 'user', message: '这是现在的页面。', time, pictures: shots.slice(0, 1) },
    { role: 'user', message: '[图片]', time, pictures: shots.slice(0, 5) },
    { role: 'merchant', message: '请对照这两张图设置。', time, pictures: shots.slice(1, 3) },
  ]
  const entries = (status === 4 ? said : [...said, ...more]).map((entry, index) => ({ ...entry, seq: index + 1 }))
  const data = { ...talk, content: JSON.stringify(entries), lastSeq: entries.length, rating }
  await feedbackAt(page, status)
  await page.route('**/feedback/read', (route) => route.fulfill({ json: { data } }))
  await page.reload({ waitUntil: 'networkidle' })
}

const pictureScreens: Screen[] = [
  ...(['feedback', 'merchant-feedback'] as const).flatMap((side): Screen[] => {
    const screen = {
      path: side === 'feedback' ? feedbackPath : merchantFeedbackPath,
      signedIn: true,
      ...(side === 'feedback' && { answers: { '/api/user/info': { nickname: '林知夏', permission: {} } } }),
    }
    return [
      { ...screen, name: `${side}-pictures`, prepare: (page) => pictureTalk(page, 1) },
      {
        ...screen,
        name: `${side}-tray`,
        prepare: async (page) => {
          await pictureTalk(page, 1)
          await choosePictures(page)
        },
      },
    ]
  }),
  {
    name: 'feedback-viewer',
    path: feedbackPath,
    signedIn: true,
    prepare: async (page) => {
      await pictureTalk(page, 1)
      await page.locator('.said-pictures.three .shot').nth(1).click()
      await page.locator('.viewer').waitFor()
    },
  },
  {
    name: 'feedback-rating',
    path: feedbackPath,
    signedIn: true,
    prepare: async (page) => {
      await pictureTalk(page, 4)
      await page.getByRole('radio', { name: '4 星' }).check({ force: true })
    },
  },
  {
    name: 'feedback-rated',
    path: feedbackPath,
    signedIn: true,
    prepare: (page) =>
      pictureTalk(page, 4, { score: 5, words: '回复很快，问题也解决了，谢谢。', time: at(13, 11, 30) }),
  },
]

const customer = { '/api/user/info': { nickname: '林知夏', permission: {} } }
const operatorReads = { '/api/user/info': { permission: { MERCHANT: ['READ'] } } }

/** Feedback on both sides. */
export const feedbackScreens: Screen[] = [
  { name: 'feedback-empty', path: '/user/feedback', signedIn: true },
  ...[0, 1, 2, 3, 4, 5].map((status) => ({
    name: `feedback-${status}`,
    path: feedbackPath,
    signedIn: true,
    answers: customer,
    prepare: (page: Page) => feedbackAt(page, status),
  })),
  {
    name: 'feedback-new',
    path: '/user/feedback',
    signedIn: true,
    answers: customer,
    prepare: (page) => feedbackAt(page, 3),
  },
  { name: 'merchant-feedback', path: '/merchant/feedback', signedIn: true, prepare: (page) => feedbackAt(page, 1) },
  ...[0, 2, 4].map((status) => ({
    name: `merchant-feedback-${status}`,
    path: merchantFeedbackPath,
    signedIn: true,
    prepare: (page: Page) => feedbackAt(page, status),
  })),
  {
    name: 'merchant-feedback-reads',
    path: merchantFeedbackPath,
    signedIn: true,
    answers: operatorReads,
    prepare: (page) => feedbackAt(page, 2),
  },
  {
    name: 'merchant-feedback-close',
    path: merchantFeedbackPath,
    signedIn: true,
    prepare: async (page) => {
      await feedbackAt(page, 2)
      await page.getByRole('button', { name: '强制关闭' }).click()
    },
  },
  ...pictureScreens,
  ...deskScreens(merchantFeedbackPath, (page) => feedbackAt(page, 1)),
  {
    name: 'merchant-feedback-rated',
    path: merchantFeedbackPath,
    signedIn: true,
    prepare: (page) =>
      pictureTalk(page, 4, { score: 4, words: '回复很快，就是来回问了两次下单时间。', time: at(13, 11, 30) }),
  },
  { name: 'no-permission', path: '/merchant/feedback', signedIn: true, answers: customer },
]
