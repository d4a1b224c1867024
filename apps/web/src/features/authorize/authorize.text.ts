import { textHook } from '../../lib/text/text.ts'
import { authorizeZhCN } from './authorize.text.zh-CN.ts'

export const useAuthorizeText = textHook({ 'zh-CN': authorizeZhCN })
