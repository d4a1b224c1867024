import { textHook } from '../../lib/text/text.ts'
import { passwordFieldZhCN } from './password-field.text.zh-CN.ts'

export const usePasswordFieldText = textHook({ 'zh-CN': passwordFieldZhCN })
