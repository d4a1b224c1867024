import { textHook } from '../../lib/text/text.ts'
import { newPasswordZhCN } from './new-password.text.zh-CN.ts'

export const useNewPasswordText = textHook({ 'zh-CN': newPasswordZhCN })
