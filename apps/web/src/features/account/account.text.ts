import { textHook } from '../../lib/text/text.ts'
import { accountZhCN } from './account.text.zh-CN.ts'

export const useAccountText = textHook({ 'zh-CN': accountZhCN })
