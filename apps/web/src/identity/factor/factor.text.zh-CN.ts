import type { FactorWay } from '@hufu/contract/factors'

const wait = (seconds: number) => (seconds <= 60 ? `${seconds} 秒` : `${Math.ceil(seconds / 60)} 分钟`)

/** The sentences of the second factors, at sign-in and before a change. */
export const factorZhCN = {
  ways: { passkey: '通行密钥', totp: '验证器应用', recovery: '恢复码' } satisfies Record<FactorWay, string>,
  others: '其他方式',
  totp: '验证器应用中的六位动态验证码',
  recovery: '恢复码',
  recoveryPlaceholder: 'XXXX-XXXX-XXXX',
  recoveryHint: '开启登录保护时保存的恢复码，每个只能使用一次',
  passkeyLine: '用指纹、面容或锁屏密码完成验证',
  passkeyGo: '使用通行密钥',
  passkeyWaiting: '请按浏览器的提示完成验证…',
  noPasskeys: '此浏览器不支持通行密钥，请换用手机、电脑自带的浏览器',
  useRecovery: '此浏览器不支持通行密钥。请使用恢复码，或换用手机、电脑自带的浏览器',
  unanswered: '未完成通行密钥验证，可重试或换一种方式',
  unusable: '此设备暂时无法使用通行密钥，请换一种方式',
  verify: '验证',
  pausedFor: (seconds: number) => `错误次数过多，请 ${wait(seconds)}后再试`,
}
