/** The sentences of the loading screen. */
export const siteZhCN = {
  loading: {
    title: '正在加载',
    message: '请耐心等待',
    networkTitle: '网络异常，请稍后再试',
    networkMessage: '正在尝试重新连接…',
    serviceTitle: '服务异常',
    lostTitle: '无法连接到服务器',
    lostMessage: '请检查您的网络后重试',
    reconnect: '重新连接',
  },
}
