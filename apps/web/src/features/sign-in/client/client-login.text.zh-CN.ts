/** The sentences of signing in for another site. */
export const clientLoginZhCN = {
  returnsTo: '登录后将返回',
  again: '为了您的账号安全，请重新登录',
  expired: '登录请求已失效',
  expiredLead: '等待时间过长，或者该请求已经完成',
  expiredNext: '如需登录其他网站，请返回该网站重新发起。',
  failed: '暂时无法登录',
  tryAgain: '重试',
  toAccount: '前往我的账号',
}
