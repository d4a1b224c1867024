import type { UserRow } from '@hufu/contract/merchant-users'
import type { OperatorEntry } from '@hufu/contract/operators'
import { figures, windows } from '@hufu/contract/statistics-rules'

// What the server of a busy, made-up site would answer.
const now = Date.now()
const minutes = (count: number) => now - count * 60_000
const hours = (count: number) => minutes(count * 60)

const values = {
  daily: [3_182, 5_904, 41_307, 3_977, 268_450],
  weekly: [12_460, 19_873, 276_118, 26_340, 1_802_966],
  monthly: [27_905, 35_142, 1_130_527, 108_214, 7_415_083],
}

const fifteen = (share: (place: number) => number) =>
  Object.fromEntries(
    windows.flatMap((window) =>
      figures.map((figure, place) => [`${window}${figure}`, Math.round((values[window][place] ?? 0) * share(place))]),
    ),
  )

const funnel = (times: number) => ({
  codeSent: 2_410 * times,
  codeVerified: 2_236 * times,
  codeSignedIn: 2_198 * times,
  scanShown: 1_320 * times,
  scanScanned: 980 * times,
  scanApproved: 941 * times,
})

const day = [
  421, 399, 386, 377, 379, 392, 435, 507, 585, 626, 615, 631, 675, 657, 634, 645, 666, 703, 748, 796, 827, 799, 717,
  603,
]

const names = ['林知夏', '周慕白', '沈清和', '江予安', '许南乔', '顾言', '苏念', '陆时安', '叶知秋', '程以宁']
const usernames = ['zhixia_lin', 'mubai', null, 'yuan_j', 'nanqiao', null, 'sunian_', 'lushian', null, 'yining']
const ids = [
  '8c41f0b2',
  '3e97a6d1',
  'f05b2c78',
  '61d8e94a',
  'a7724c0e',
  '0b3fd915',
  'd94e6187',
  '27a5c3f6',
  'b8106e5d',
  '5cf2971b',
]
export const userId = '8c41f0b2-5b1e-4d0c-a2f7-19c0de8b6a55'

const user = (place: number): UserRow => ({
  id: `${ids[place]}${userId.slice(8)}`,
  status: place === 5 ? 'disabled' : 'active',
  mobilePrefix: '86',
  mobile: `1${38 + place * 4}****${5678 - place * 331}`,
  nickname: names[place] ?? null,
  username: usernames[place] ?? null,
  email: place % 3 === 2 ? null : `${(usernames[place] ?? 'qy').slice(0, 2)}****@mail.example`,
  lastAccess: minutes(place * place * 17),
  since: hours(24 * (place + 3)),
  operator: [0, 3, 6].includes(place),
  protected: place % 3 === 0 && place !== 6,
})

const entry = (place: number, action: string, ago: number, detail: object = {}): OperatorEntry => ({
  id: String(place),
  time: minutes(ago),
  operator: { id: userId, name: place % 2 ? '陈屿' : '青屿客服' },
  action,
  person:
    action.startsWith('user.') && action !== 'user.export' ? { id: user(place).id, name: names[place] ?? null } : null,
  target: action.startsWith('config') ? '18' : null,
  detail: { ...detail },
})

const event = (place: number, name: string, ago: number) => ({
  id: String(place),
  time: hours(ago),
  event: name,
  ip: '120.24.78.68',
  region: '广东省 深圳市',
  method: name === 'login' ? 'mobile' : null,
  browser: '微信',
  os: 'iOS 18',
  count: name === 'login.failed' ? 3 : null,
})

/** Operators who have no second factor yet. */
export const unprotectedOperators = {
  count: 2,
  more: false,
  data: [6, 8].map((place) => ({ ...user(place), operator: true, protected: false })),
}

/** The first of them, opened. */
export const wholeUser = {
  ...user(0),
  wechatNickname: '林小满',
  avatar: null,
  mobile: '13812345678',
  email: 'zhixia@qingyu.example',
  password: true,
  wechat: true,
  permission: { MERCHANT: ['READ', 'WRITE'] },
  releasable: true,
  recovery: null,
  closing: null,
  factors: { passkeys: 2, totp: true, recovery: 8 },
}

const waiter = (place: number, preview: string, ago: number) => ({
  id: user(place).id,
  status: place % 3 === 1 ? 1 : 0,
  name: place === 2 ? user(place).mobile : (names[place] ?? null),
  since: minutes(ago),
  preview,
})

const home = {
  waiting: 6,
  waitingSince: minutes(192),
  oldest: [
    waiter(0, '换绑手机号之后收不到订单通知，昨天和今天各试了一次，麻烦帮忙看一下。', 192),
    waiter(1, '按您说的重新登录过了，还是看不到优惠券。', 96),
    waiter(2, '[图片]', 58),
    waiter(3, '发票抬头填错了可以修改吗？', 42),
    waiter(4, '谢谢，请问什么时候可以恢复？', 7),
  ],
  userCount: 48_216,
  accessed: { today: 5_904, yesterday: 5_618 },
  newUsers: { today: 127, yesterday: 139 },
  api: { today: 268_450, yesterday: 254_781 },
  ratings: { count: 128, average: 4.7 },
  attention: [],
  wechat: true,
  config: { version: 18, time: hours(29), by: '陈屿' },
}

export const quietHome = {
  ...home,
  waiting: 0,
  waitingSince: null,
  oldest: [],
  ratings: { count: 0, average: null },
}

/** When everything goes wrong at once. */
export const badHome = {
  ...home,
  attention: [
    { kind: 'smsBudget', sent: 5_000, open: 3_500, budget: 5_000 },
    { kind: 'wechat', errcode: 40_164, time: minutes(4) },
    { kind: 'smsFailed', count: 36, time: minutes(11) },
    { kind: 'mailFailed', count: 3, time: hours(5) },
    { kind: 'wechatNoticeFailed', count: 12, time: minutes(4) },
  ],
}

/** By call. */
export const merchantAnswers: Record<string, unknown> = {
  '/api/user/feedback/unread': { user: 0, merchant: 6 },
  '/api/merchant/home': home,
  '/api/merchant/user/statistics': {
    userCount: 48_216,
    ...fifteen(() => 1),
    before: fifteen((place) => [0.96, 0.95, 0.94, 1.013, 0.95][place] ?? 1),
    newUsers: { daily: 127, weekly: 864, monthly: 3_590 },
    funnel: { daily: funnel(1), weekly: funnel(7), monthly: funnel(30) },
    sms: { sent: 2_410, budget: 5_000 },
    time: now,
  },
  '/api/merchant/user/curve': {
    step: 'hour',
    points: day.map((value, place) => ({
      time: now - (now % 3_600_000) - (23 - place) * 3_600_000,
      value,
      before: Math.round(value * 0.965 - 6),
    })),
  },
  '/api/merchant/user/query': { count: 48_216, more: false, data: names.map((_, place) => user(place)) },
  '/api/merchant/user/exports': { count: 0, data: [] },
  '/api/merchant/user/read': wholeUser,
  '/api/merchant/user/devices': {
    count: 2,
    data: [
      {
        id: '1',
        browser: '微信',
        device: 'iPhone',
        os: 'iOS 18',
        ip: '120.24.78.68',
        region: '广东省 深圳市',
        time: hours(50),
        lastAccess: minutes(4),
      },
      {
        id: '2',
        browser: 'Chrome 142',
        device: '电脑',
        os: 'Windows 11',
        ip: '120.24.78.70',
        region: '广东省 深圳市',
        time: hours(190),
        lastAccess: hours(26),
      },
    ],
  },
  '/api/merchant/user/securityLog': {
    count: 4,
    more: false,
    data: [event(1, 'login', 1), event(2, 'account.password', 26), event(3, 'login.failed', 27), event(4, 'login', 50)],
  },
  '/api/merchant/log/query': {
    count: 8,
    more: false,
    data: [
      entry(0, 'user.read', 3),
      entry(1, 'user.disable', 18),
      entry(2, 'user.rights', 44, { before: [], after: ['READ', 'WRITE'] }),
      entry(3, 'config.save', 190, { version: 18 }),
      entry(4, 'user.releaseMobile', 400, { reason: '号码已停用，身份证核验无误' }),
      entry(5, 'user.export', 1_500, { count: 1_204 }),
      entry(6, 'wechat.token', 1_600),
      entry(7, 'wechat.menu', 1_700),
    ],
  },
}
