import { textHook } from '../../lib/text.ts'
import { authorizeZhCN } from '../../text/authorize.zh-CN.ts'

export const useAuthorizeText = textHook({ 'zh-CN': authorizeZhCN })
