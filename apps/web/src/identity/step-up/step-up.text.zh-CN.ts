/** The sentences of the identity check before a change. */
export const stepUpZhCN = {
  title: '身份验证',
  waiting: '正在加载',
  tryAgain: '重试',
  risk: '当前操作存在安全风险，需要进一步验证您的身份',
  second: '此浏览器首次登录未满72小时，此操作还需再验证一项',
  secondHelp: '无法验证？请在常用的设备上操作，或在此浏览器登录满72小时后再试。',
  step: (step: number) => `第 ${step} 步，共 2 步`,
  choose: '验证方式',
  kinds: { mobile: '短信验证', email: '邮箱验证', password: '密码验证', wechat: '微信验证' },
  mobile: '手机号',
  email: '电子邮箱',
  password: '登录密码',
  passwordPlaceholder: '请输入登录密码',
  verify: '验证',
  logOut: '退出登录',
  nothing: '您的账号未设置手机号、电子邮箱或密码，无法在此验证。请退出登录，使用微信重新登录后再进行操作',
}
