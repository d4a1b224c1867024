/** The sentences of the pages that sign users in for other sites. */
export const authorizeZhCN = {
  failed: '授权失败',
  home: '返回首页',
  tryAgain: '重试',
}
