import { verifyCodeZhCN } from '../../identity/identity.text.zh-CN.ts'
import { textHook } from '../../lib/text/text.ts'
import { accountZhCN } from './account.text.zh-CN.ts'

/** The sentences of changing an account, and of the codes it takes. */
export const useAccountText = textHook({ 'zh-CN': { account: accountZhCN, verifyCode: verifyCodeZhCN } })
