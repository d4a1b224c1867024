import { verifyCodeZhCN } from '../../../identity/identity.text.zh-CN.ts'
import { textHook } from '../../../lib/text/text.ts'
import { loginZhCN } from './login.text.zh-CN.ts'

/** The sentences of the sign-in page and of the codes it sends. */
export const useLoginText = textHook({ 'zh-CN': { login: loginZhCN, verifyCode: verifyCodeZhCN } })
