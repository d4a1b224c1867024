/** The sentences of proving an identity by WeChat. */
export const wechatProofZhCN = {
  line: '请使用该账号绑定的微信验证',
  go: '微信验证',
  elsewhere: '请在微信中打开本站，使用该账号绑定的微信验证',
  loginInstead: '该账号绑定了微信。请在微信中打开本站，使用微信登录',
}
