import { textHook } from '../../../lib/text/text.ts'
import { agreeFirstZhCN } from './agree-first.text.zh-CN.ts'

export const useAgreeFirstText = textHook({ 'zh-CN': agreeFirstZhCN })
