import { textHook } from '../lib/text/text.ts'
import { credentialsZhCN, verifyCodeZhCN } from './identity.text.zh-CN.ts'

export const useIdentityText = textHook({ 'zh-CN': { credentials: credentialsZhCN, verifyCode: verifyCodeZhCN } })
