export interface Words {
  title: string
  /** What happened. */
  lead: string
  /** What the user can do. */
  next: string
}

const tellAdmin = '请返回该网站，联系网站管理员，并提供下方的错误信息。'
const startAnew = '请返回该网站，重新点击登录。'
const expired: Words = {
  title: '登录请求已失效',
  lead: '等待时间过长，或者该请求已经完成。',
  next: startAnew,
}

/** By the code of the standards; any other code is explained in general. */
const reasons: Record<string, Words> = {
  invalid_client: { title: '无法识别该网站', lead: '该网站没有在这里登记，或者已经停用。', next: tellAdmin },
  unauthorized_client: { title: '该网站不能这样登录', lead: '该网站没有使用这种登录方式的权限。', next: tellAdmin },
  invalid_redirect_uri: {
    title: '返回地址未登记',
    lead: '为了保护您的账号，我们不会把您带到未登记的地址。',
    next: tellAdmin,
  },
  invalid_request: { title: '登录请求有误', lead: '该网站发来的登录请求不完整或格式有误。', next: tellAdmin },
  invalid_scope: { title: '登录请求有误', lead: '该网站请求了没有登记的信息。', next: tellAdmin },
  unsupported_response_type: { title: '登录方式不受支持', lead: '该网站使用了不受支持的登录方式。', next: tellAdmin },
  session_not_found: expired,
  expired,
  access_denied: { title: '登录已取消', lead: '您没有同意授权，该网站没有获得您的任何信息。', next: startAnew },
  server_error: { title: '出了点问题', lead: '我们的服务遇到了问题，登录没有完成。', next: '请稍后返回该网站重试。' },
  temporarily_unavailable: {
    title: '服务繁忙',
    lead: '当前登录的人太多，登录没有完成。',
    next: '请过一会儿返回该网站重试。',
  },
}

const unknown: Words = { title: '登录没有完成', lead: '处理该网站的登录请求时出现了问题。', next: tellAdmin }

/** The sentences of a client's sign-in that can't go back to the client. */
export const authorizeErrorZhCN = {
  reasonOf: (code: string): Words => (Object.hasOwn(reasons, code) ? reasons[code] : undefined) ?? unknown,
  details: '错误信息',
  code: '错误代码',
  request: '请求编号',
  copy: '复制错误信息',
  copied: '已复制错误信息',
  copyFailed: '复制失败，请手动复制',
  toAccount: '前往我的账号',
}
