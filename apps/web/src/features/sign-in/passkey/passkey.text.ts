import { textHook } from '../../../lib/text/text.ts'
import { passkeyZhCN } from './passkey.text.zh-CN.ts'

export const usePasskeyText = textHook({ 'zh-CN': passkeyZhCN })
