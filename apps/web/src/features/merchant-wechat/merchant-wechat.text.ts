import { textHook } from '../../lib/text/text.ts'
import { whenZhCN } from '../../lib/time/when.text.zh-CN.ts'
import { merchantWechatZhCN } from './merchant-wechat.text.zh-CN.ts'

/** The sentences of WeChat management, and how times are written. */
export const useMerchantWechatText = textHook({ 'zh-CN': { ...merchantWechatZhCN, when: whenZhCN } })
