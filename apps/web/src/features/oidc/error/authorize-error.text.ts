import { textHook } from '../../../lib/text/text.ts'
import { authorizeErrorZhCN } from './authorize-error.text.zh-CN.ts'

export const useAuthorizeErrorText = textHook({ 'zh-CN': authorizeErrorZhCN })
