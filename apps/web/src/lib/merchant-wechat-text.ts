import { merchantWechatZhCN } from '../text/merchant-wechat.zh-CN.ts'
import { personalZhCN } from '../text/personal.zh-CN.ts'
import { textHook } from './text.ts'

/** The sentences of WeChat management, and how times are told. */
export const useMerchantWechatText = textHook({ 'zh-CN': { ...merchantWechatZhCN, when: personalZhCN.when } })
