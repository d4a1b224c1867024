import { textHook } from '../../lib/text/text.ts'
import { factorZhCN } from './factor.text.zh-CN.ts'

export const useFactorText = textHook({ 'zh-CN': factorZhCN })
