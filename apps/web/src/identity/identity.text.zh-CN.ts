const wait = (seconds: number) => (seconds <= 120 ? `${seconds} 秒` : `${Math.ceil(seconds / 60)} 分钟`)

/** The sentences of the fields that prove an identity. */
export const credentialsZhCN = {
  mobile: '手机号',
  mobilePlaceholder: '请输入手机号',
  prefix: '国家或地区代码',
  account: '账号',
  accountPlaceholder: '用户名、电子邮箱或手机号',
  password: '密码',
  passwordPlaceholder: '请输入密码',
  solving: '正在进行安全验证，请稍候…',
  numberLost: '手机号已停用？',
}

/** The sentences of codes that are sent. */
export const verifyCodeZhCN = {
  send: '发送验证码',
  sending: '正在发送…',
  sent: '验证码已发送，5 分钟内有效',
  smsCode: '短信验证码',
  emailCode: '邮箱验证码',
  resend: '重新发送',
  sendIn: (seconds: number) => `${wait(seconds)}后可发送`,
  resendIn: (seconds: number) => `${wait(seconds)}后可重发`,
}
