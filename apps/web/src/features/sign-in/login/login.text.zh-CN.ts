import type { LoginMethod } from '@hufu/contract/site'
import { credentialsZhCN } from '../../../identity/identity.text.zh-CN.ts'

/** The sentences of the sign-in page. */
export const loginZhCN = {
  ...credentialsZhCN,
  title: '登录',
  methods: { mobile: '手机号登录', password: '密码登录', wechat: '微信扫码' } satisfies Record<LoginMethod, string>,
  others: '其他登录方式',
  createsAccount: '未注册手机号验证后自动创建账号',
  mobileLead: '使用手机号和短信验证码登录',
  passwordLead: '使用用户名、电子邮箱或手机号登录',
  logIn: '登录',
  bind: '登录后绑定微信',
  agree: '我已阅读并同意',
  terms: '《用户协议》',
  and: '和',
  privacy: '《隐私政策》',
}
