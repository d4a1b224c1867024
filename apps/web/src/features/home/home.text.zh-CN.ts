/** The sentences of the home page. */
export const homeZhCN = {
  title: '授权中心',
  notLoggedIn: '未登录',
  invitation: '登录后即可管理您的账号',
  logIn: '立即登录',
  security: '账号安全',
  securityHint: '密码、手机号与身份验证',
  devices: '登录设备',
  devicesHint: '查看并下线不再使用的设备',
  feedback: '意见反馈',
  feedbackHint: '遇到问题，随时告诉我们',
}
