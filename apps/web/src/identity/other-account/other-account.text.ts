import { textHook } from '../../lib/text/text.ts'
import { otherAccountZhCN } from './other-account.text.zh-CN.ts'

export const useOtherAccountText = textHook({ 'zh-CN': otherAccountZhCN })
