import { textHook } from '../../../lib/text/text.ts'
import { clientLoginZhCN } from './client-login.text.zh-CN.ts'

export const useClientLoginText = textHook({ 'zh-CN': clientLoginZhCN })
