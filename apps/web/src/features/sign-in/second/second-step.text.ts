import { textHook } from '../../../lib/text/text.ts'
import { secondStepZhCN } from './second-step.text.zh-CN.ts'

export const useSecondStepText = textHook({ 'zh-CN': secondStepZhCN })
