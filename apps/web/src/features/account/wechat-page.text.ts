import { textHook } from '../../lib/text/text.ts'
import { wechatPageZhCN } from './wechat-page.text.zh-CN.ts'

export const useWechatPageText = textHook({ 'zh-CN': wechatPageZhCN })
