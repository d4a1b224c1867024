import { textHook } from '../../lib/text/text.ts'
import { profileZhCN } from './profile.text.zh-CN.ts'

export const useProfileText = textHook({ 'zh-CN': profileZhCN })
