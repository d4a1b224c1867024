import { textHook } from '../../../lib/text/text.ts'
import { logoutZhCN } from './logout.text.zh-CN.ts'

export const useLogoutText = textHook({ 'zh-CN': logoutZhCN })
