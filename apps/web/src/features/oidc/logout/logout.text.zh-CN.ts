/** The sentences of signing out at the request of another site. */
export const logoutZhCN = {
  title: '退出登录',
  ask: (client: string | undefined) => (client ? `${client} 请求退出登录` : '退出登录？'),
  lead: (site: string, name: string) => `您将退出${site}账号“${name}”，在本浏览器上再次使用时需要重新登录。`,
  go: '退出登录',
  cancel: '取消',
  waiting: '正在加载',
  failed: '暂时无法退出登录',
  tryAgain: '重试',
  over: '退出请求已失效',
  overLead: '您仍处于登录状态。如需退出，请在用户中心退出登录。',
  toAccount: '前往我的账号',
  done: '已退出登录',
  doneLead: (site: string) => `您已在本浏览器上退出${site}账号`,
  again: '重新登录',
  still: '您仍处于登录状态',
  stillLead: (name: string) => `当前登录账号：${name}`,
}
