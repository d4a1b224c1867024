import { textHook } from '../lib/text/text.ts'
import { frameZhCN } from './frame.text.zh-CN.ts'

export const useFrameText = textHook({ 'zh-CN': frameZhCN })
