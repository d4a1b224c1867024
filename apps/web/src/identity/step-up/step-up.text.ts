import { textHook } from '../../lib/text/text.ts'
import { credentialsZhCN, verifyCodeZhCN } from '../identity.text.zh-CN.ts'
import { stepUpZhCN } from './step-up.text.zh-CN.ts'

/** The sentences of the identity check, besides those of its fields. */
export const useStepUpText = textHook({
  'zh-CN': { twoFactor: stepUpZhCN, credentials: credentialsZhCN, verifyCode: verifyCodeZhCN },
})
