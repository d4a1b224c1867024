import { textHook } from '../../lib/text/text.ts'
import { wechatProofZhCN } from './wechat-proof.text.zh-CN.ts'

export const useWechatProofText = textHook({ 'zh-CN': wechatProofZhCN })
