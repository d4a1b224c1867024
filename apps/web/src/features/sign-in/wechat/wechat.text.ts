import { textHook } from '../../../lib/text/text.ts'
import { wechatZhCN } from './wechat.text.zh-CN.ts'

export const useWechatText = textHook({ 'zh-CN': wechatZhCN })
