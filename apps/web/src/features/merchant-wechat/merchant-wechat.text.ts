import { textHook } from '../../lib/text/text.ts'
import { personalZhCN } from '../profile/profile.text.zh-CN.ts'
import { merchantWechatZhCN } from './merchant-wechat.text.zh-CN.ts'

/** The sentences of WeChat management, and how times are told. */
export const useMerchantWechatText = textHook({ 'zh-CN': { ...merchantWechatZhCN, when: personalZhCN.when } })
