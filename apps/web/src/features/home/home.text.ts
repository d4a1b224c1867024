import { textHook } from '../../lib/text/text.ts'
import { homeZhCN } from './home.text.zh-CN.ts'

export const useHomeText = textHook({ 'zh-CN': homeZhCN })
