export const sessionZhCN = {
  loggedOut: '已退出登录',
}
