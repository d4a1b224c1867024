import type { Examples } from './example.ts'
import {
  conversationId,
  device,
  ip,
  later,
  madeFile,
  maskedEmail,
  maskedMobile,
  otherId,
  time,
  userId,
} from './values.ts'

const conversation = {
  id: conversationId,
  status: 0,
  mobile: maskedMobile,
  time,
  content: '[{"seq":0,"role":"user","message":"收不到验证码","time":1793433600000}]',
  more: false,
  lastSeq: 0,
  waitingSince: time,
  unread: true,
  offered: false,
  userTexts: 1,
  merchantTexts: 0,
  rating: null,
}
const colleague = { id: otherId, name: '小周' }
const note = { id: otherId, author: colleague, text: '已联系运营商', time }
const quickReply = { id: otherId, title: '收不到验证码', text: '请检查手机是否拦截了短信。' }
const posted = { id: conversationId, seq: 1, status: 2 }
const config = { name: '青屿生活', methods: ['mobile', 'password'] }
const saved = { version: 7, time, by: '小周', restored: null }
const user = {
  id: userId,
  status: 'active' as const,
  mobilePrefix: '86',
  mobile: maskedMobile,
  nickname: '小林',
  username: 'xiaolin',
  email: maskedEmail,
  lastAccess: later,
  since: time,
  protected: false,
}
const perWindow = { daily: 12, weekly: 80, monthly: 310 }
const fifteen = {
  dailyAuthorizedUsers: 120,
  dailyAccessedUsers: 800,
  dailyPageAccess: 4_100,
  dailyAuthorizeAccess: 260,
  dailyApiAccess: 9_800,
  weeklyAuthorizedUsers: 700,
  weeklyAccessedUsers: 4_200,
  weeklyPageAccess: 27_000,
  weeklyAuthorizeAccess: 1_700,
  weeklyApiAccess: 66_000,
  monthlyAuthorizedUsers: 2_100,
  monthlyAccessedUsers: 12_000,
  monthlyPageAccess: 110_000,
  monthlyAuthorizeAccess: 7_200,
  monthlyApiAccess: 280_000,
}
const funnel = { codeSent: 90, codeVerified: 81, codeSignedIn: 80, scanShown: 40, scanScanned: 22, scanApproved: 21 }

export const backOfficeExamples = {
  listMerchantFeedback: { input: { waiting: true }, output: { count: 1, data: [conversation] } },
  readMerchantFeedback: { input: { id: conversationId }, output: conversation },
  feedbackPerson: {
    input: { id: conversationId },
    output: {
      id: userId,
      nickname: '小林',
      mobile: maskedMobile,
      avatar: null,
      since: time,
      devices: [{ browser: 'Chrome 142', os: 'Windows 11', region: '广东', time }],
      earlier: [],
    },
  },
  replyFeedback: { input: { id: conversationId, message: '请检查手机是否拦截了短信。' }, output: posted },
  addReplyPicture: { output: { id: otherId, width: 1080, height: 1920 } },
  setFeedbackStatus: { input: { id: conversationId, status: 3 }, output: { ...posted, status: 3 } },
  seeMerchantFeedback: { input: { id: conversationId, seq: 1 }, output: null },
  listNotes: { input: { id: conversationId }, output: [note] },
  addNote: { input: { id: conversationId, text: note.text, key: otherId }, output: note },
  removeNote: { input: { id: conversationId, note: otherId }, output: null },
  answering: { input: { id: conversationId, writing: true }, output: [colleague] },
  listReplies: { output: [quickReply] },
  saveReply: { input: { title: quickReply.title, text: quickReply.text }, output: quickReply },
  removeReply: { input: { id: otherId }, output: null },
  merchantWechatToken: { output: { access_token: '61_2mKx…', expires: later } },
  loadWechatMenu: { output: { button: [{ type: 'view', name: '官网', url: 'https://www.example.com' }] } },
  changeWechatMenu: {
    input: { data: { button: [{ type: 'view', name: '官网', url: 'https://www.example.com' }] } },
    output: null,
  },
  loadMessageTemplates: {
    output: [{ template_id: 'TM0001', title: '订单通知', content: '订单：{{order.DATA}}' }],
  },
  sendWechatMessage: {
    input: { userId, templateId: 'TM0001', url: 'https://www.example.com/orders/1', params: { order: '20261101' } },
    output: { msgid: '2400000000000000001' },
  },
  merchantHome: {
    output: {
      waiting: 1,
      waitingSince: time,
      oldest: [{ id: conversationId, status: 0, name: '小林', since: time, preview: '收不到验证码' }],
      userCount: 12_431,
      accessed: { today: 420, yesterday: 398 },
      newUsers: { today: 12, yesterday: 9 },
      api: { today: 4_800, yesterday: 4_500 },
      ratings: { count: 31, average: 4.6 },
      attention: [{ kind: 'exported', count: 1, time }],
      wechat: false,
      config: { version: 7, time, by: '小周' },
    },
  },
  userStatistics: {
    output: {
      userCount: 12_431,
      ...fifteen,
      before: fifteen,
      newUsers: perWindow,
      funnel: { daily: funnel, weekly: funnel, monthly: funnel },
      sms: { sent: 90, budget: 10_000 },
      time,
    },
  },
  userCurve: {
    input: { window: 'weekly', figure: 'AccessedUsers' },
    output: { step: 'day', points: [{ time, value: 800, before: 760 }] },
  },
  queryUsers: {
    input: { search: '小林', top: 10 },
    output: { count: 1, data: [{ ...user, operator: false }], more: false },
  },
  readUser: {
    input: { id: userId },
    output: {
      ...user,
      wechatNickname: null,
      avatar: null,
      password: true,
      wechat: false,
      permission: {},
      releasable: true,
      recovery: null,
      closing: null,
      factors: { passkeys: 0, totp: false, recovery: 0 },
    },
  },
  revealUser: { input: { id: userId, field: 'mobile' }, output: { value: '13900000001' } },
  userDevices: { input: { id: userId }, output: { count: 1, data: [device] } },
  userSecurityLog: {
    input: { id: userId },
    output: {
      count: 1,
      data: [
        {
          id: '4021',
          time,
          event: 'login',
          ip,
          region: '广东',
          method: 'mobile',
          browser: 'Chrome 142',
          os: 'Windows 11',
          count: null,
        },
      ],
      more: false,
    },
  },
  setUserStatus: { input: { id: userId, status: 'disabled' }, output: null },
  signOutUser: { input: { id: userId }, output: { ended: 2 } },
  releaseMobile: { input: { id: userId, reason: '号码已停用', mobile: maskedMobile }, output: null },
  cancelUserRecovery: { input: { id: userId, reason: '用户报告非本人申请' }, output: null },
  setUserRights: { input: { id: userId, actions: ['READ', 'WRITE'] }, output: null },
  resetOperatorFactors: {
    input: { id: userId, reason: '手机丢失' },
    output: { enrolment: '7Q4M-2XKD-9RTP', expires: later },
  },
  exportUsers: { input: { only: 'disabled' }, output: { ...madeFile, status: 'waiting', done: 0, expires: null } },
  userExports: { output: { count: 1, data: [madeFile] } },
  queryOperatorLog: {
    input: { action: 'user.disable', top: 10 },
    output: {
      count: 1,
      data: [
        {
          id: '918',
          time,
          operator: { id: otherId, name: '小周' },
          by: null,
          action: 'user.disable',
          person: { id: userId, name: '小林' },
          target: null,
          detail: {},
        },
      ],
      more: false,
    },
  },
  readConfig: { output: config },
  openConfig: { input: { version: 7 }, output: { ...saved, config } },
  updateConfig: { input: { config, basedOn: 6 }, output: { version: 7 } },
  configHistory: { input: { top: 10 }, output: { count: 1, data: [saved] } },
  restoreConfig: { input: { version: 6 }, output: { version: 8 } },
  checkConfig: {
    input: { config: { name: '' } },
    output: [{ path: ['name'], message: '须为 1-40 个字符' }],
  },
  configSchema: { output: { type: 'object', properties: { name: { type: 'string', description: '站点名称' } } } },
  previewConfig: { input: { config: { name: '' } }, output: null },
  addLogo: { output: { path: `/api/site/picture?id=${otherId}` } },
  addBackground: { output: { path: `/api/site/picture?id=${otherId}` } },
} satisfies Partial<Examples>
