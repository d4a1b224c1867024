/** The sentences of signing in by WeChat, which most visitors never load. */
export const wechatZhCN = {
  tap: '微信登录',
  choice: {
    title: '首次使用微信登录',
    lead: (nickname: string) => `${nickname}，您可以：`,
    waiting: '正在加载',
    bind: '绑定已有账号',
    bindLine: '登录已有账号，之后可用微信直接登录',
    create: '创建新账号',
    createLine: '使用微信昵称和头像创建新账号',
  },
}
