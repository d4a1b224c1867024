/** The sentences for operators without a second factor. */
export const enrolZhCN = {
  title: '请先开启登录保护',
  message: '管理后台存有用户的资料，只凭手机号登录不够安全。为您的账号添加通行密钥或验证器应用后，即可回到这里继续',
  go: '开启登录保护',
  toUser: '返回用户中心',
  banner: '登录保护提醒',
  until: (date: string) => `${date}之后，未开启登录保护的账号将无法使用管理后台。`,
  soon: '现在开启只需约一分钟。',
  date: (month: number, day: number) => `${month} 月 ${day} 日`,
}
