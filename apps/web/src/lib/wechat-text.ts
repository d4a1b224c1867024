import { wechatZhCN } from '../text/wechat.zh-CN.ts'
import { textHook } from './text.ts'

export const useWechatText = textHook({ 'zh-CN': wechatZhCN })
