import { verifyCodeZhCN } from '../../../identity/identity.text.zh-CN.ts'
import { textHook } from '../../../lib/text/text.ts'
import { confirmZhCN } from './confirm.text.zh-CN.ts'
import { loginZhCN } from './login.text.zh-CN.ts'

/** The sentences of the question whose account a number opens, besides those of the sign-in page. */
export const useConfirmText = textHook({
  'zh-CN': { login: loginZhCN, verifyCode: verifyCodeZhCN, confirm: confirmZhCN },
})
