import { textHook } from '../../lib/text/text.ts'
import { aiZhCN } from './ai.text.zh-CN.ts'

export const useAiText = textHook({ 'zh-CN': aiZhCN })
