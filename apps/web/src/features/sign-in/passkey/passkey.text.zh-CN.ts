/** The sentences of signing in by passkey; browsers without passkeys don't load them. */
export const passkeyZhCN = {
  go: '使用通行密钥登录',
  unanswered: '未使用通行密钥登录，可重试或换一种方式',
  unusable: '此设备暂时无法使用通行密钥，请换一种方式',
}
