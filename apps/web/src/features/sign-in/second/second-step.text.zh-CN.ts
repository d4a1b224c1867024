/** The sentences of the second step; only owners of protected accounts load them. */
export const secondStepZhCN = {
  title: '两步验证',
  lead: '您已开启登录保护，请再完成一步验证',
  waiting: '正在加载',
  tryAgain: '重试',
  otherAccount: '换个账号',
  trust: '信任这台设备，30 天内登录不再验证',
  trustHint: '仅限您自己的设备，请勿在公用电脑上勾选',
  lost: '都用不了？',
  recover: '申请找回账号',
}
