import { textHook } from '../../lib/text/text.ts'
import { stepUpZhCN } from './step-up.text.zh-CN.ts'

export const useStepUpText = textHook({ 'zh-CN': stepUpZhCN })
