import type { FactorWay } from './factors.ts'
import type { LoginMethod } from './site.ts'
import type { SecondWay } from './two-factor.ts'

/**
 * The events of an account, by the name under which they are recorded: for the user, for operators and for archives.
 */
export const securityEvents: Readonly<Record<string, string>> = {
  login: '登录',
  'login.failed': '密码错误',
  'login.disowned': '标记非本人登录',
  'scan.approved': '确认扫码登录',
  'scan.rejected': '拒绝扫码登录',
  check: '通过身份验证',
  'check.failed': '身份验证失败',
  'access.failed': '访问未授权的后台功能被拒绝',
  authorize: '授权登录',
  'authorize.consent': '同意授权',
  'authorize.revoke': '解除授权',
  'password.change': '修改登录密码',
  'email.change': '修改电子邮箱',
  'mobile.change': '更换手机号',
  'mobile.moved': '手机号被新账号使用',
  'mobile.release': '客服移除了手机号',
  'username.change': '修改用户名',
  'wechat.bind': '绑定微信',
  'wechat.unbind': '解除微信绑定',
  'factor.passkeyAdded': '添加通行密钥',
  'factor.passkeyRemoved': '移除通行密钥',
  'factor.totpAdded': '绑定验证器应用',
  'factor.totpRemoved': '移除验证器应用',
  'factor.codesRenewed': '更换恢复码',
  'factor.codeUsed': '使用恢复码',
  'factor.off': '关闭登录保护',
  'factor.recovered': '通过找回移除了登录保护',
  'factor.reset': '管理员重置了登录保护',
  'factor.failed': '第二步验证失败',
  'session.remove': '下线一台设备',
  'session.removeAll': '退出其他设备',
  'account.disable': '账号被停用',
  'account.enable': '账号恢复使用',
  'account.signOut': '客服将设备全部下线',
  'account.rights': '后台权限变更',
  'account.close': '申请注销账号',
  'account.keep': '撤销注销',
  'recovery.open': '验证密码以找回账号',
  'recovery.start': '申请更换停用的手机号',
  'recovery.startFactor': '申请移除登录保护',
  'recovery.finish': '更换了停用的手机号',
  'recovery.cancel': '取消找回申请',
  'recovery.cancelled': '客服取消了找回申请',
  'account.undo': '撤销了近期的更改',
  'agreements.agree': '同意用户协议',
  'data.export': '导出个人信息',
  'data.fetch': '下载个人信息',
}

/** How a user signed in or proved their identity. */
export const securityMethods: Readonly<Record<string, string>> = {
  mobile: '手机验证码',
  password: '密码',
  email: '邮箱验证码',
  wechat: '微信',
  scan: '扫码',
  passkey: '通行密钥',
  totp: '验证器应用',
  recovery: '恢复码',
} satisfies Record<LoginMethod | SecondWay | FactorWay | 'scan', string>
