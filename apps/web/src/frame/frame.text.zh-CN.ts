/** The sentences of the frame and of what stands in it instead of a page. */
export const frameZhCN = {
  frame: {
    skip: '跳到主要内容',
    menu: '菜单',
    closeMenu: '关闭菜单',
    back: '返回',
    navigation: '主导航',
    home: '首页',
    user: '用户中心',
    feedback: '意见反馈',
    merchant: '管理后台',
    news: '有新消息',
  },
  footer: {
    terms: '用户协议',
    privacy: '隐私政策',
  },
  signIn: {
    first: '请先登录',
    firstHint: '登录后即可查看此页面',
    removed: '已下线，请重新登录',
    removedHint: '您的账号已在此设备上退出',
    logIn: '立即登录',
    waiting: '正在加载',
    tryAgain: '重试',
  },
  notFound: {
    title: '页面不存在',
    message: '您访问的页面不存在或已被移动，请检查地址',
    home: '返回首页',
  },
  noPermission: {
    title: '无权限访问',
    message: '此页面仅对商户管理员开放，请联系您的管理员',
    home: '返回首页',
  },
  broken: {
    title: '页面加载失败',
    message: '请检查网络，刷新后重试',
    reload: '刷新页面',
  },
}
