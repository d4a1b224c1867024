/** The sentences of changing to the account that a link is about. */
export const otherAccountZhCN = {
  signedInAs: (name: string) => `当前登录账号：${name}`,
  change: '退出并登录其他账号',
}
