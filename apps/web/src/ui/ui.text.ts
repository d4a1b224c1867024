import { textHook } from '../lib/text/text.ts'
import { uiZhCN } from './ui.text.zh-CN.ts'

export const useUiText = textHook({ 'zh-CN': uiZhCN })
