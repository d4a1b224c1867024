import { textHook } from '../lib/text/text.ts'
import { sessionZhCN } from './session.text.zh-CN.ts'

export const useSessionText = textHook({ 'zh-CN': sessionZhCN })
