import { securityEvents, securityMethods } from '@hufu/contract/security-words'

/** What codes in the tables mean, for whoever reads their archive. A code that isn't here is shown as it is. */
export const words = {
  account: { active: '正常', disabled: '已停用' },
  names: { mobile: '手机号', email: '电子邮箱', username: '用户名' },
  credentials: { password: '登录密码' },
  documents: { agreements: '用户协议与隐私政策' },
  methods: securityMethods,
  purposes: {
    login: '登录',
    changeMobile: '更换手机号',
    authorize: '修改电子邮箱',
    twoFactor: '身份验证',
    confirm: '确认账号',
    recovery: '找回账号',
    recoveryMobile: '找回账号（新手机号）',
  },
  links: { disown: '登录提醒', recovery: '找回提醒' },
  exports: { waiting: '等待中', running: '进行中', done: '已完成', failed: '失败' },
  feedback: { 0: '待处理', 1: '处理中', 2: '已回复', 3: '待您确认', 4: '已结束', 5: '暂无法解决' },
  roles: { user: '我', merchant: '客服' },
  pictures: { avatar: '头像', 'wechat-avatar': '微信头像', export: '个人信息压缩包' },
  jobs: {
    'mail-notice': '邮件通知',
    'sms-notice': '短信通知',
    'login-notice': '登录提醒',
    'wechat-avatar': '读取微信头像',
    'data-export': '导出个人信息',
  },
  preferences: { dark: '深色外观', fontSize: '字号', region: '地区', language: '语言' },
  /** Names of what is noted, and the codes among it. */
  details: {
    ...securityMethods,
    method: '登录方式',
    browser: '浏览器',
    os: '系统',
    region: '地区',
    ip: '网络地址（IP）',
    session: '设备编号',
    sessions: '设备编号',
    client: '网站',
    origin: '网址',
    way: '验证方式',
    count: '次数',
    version: '版本',
  },
  events: securityEvents,
} as const
