import { merchantZhCN } from '../text/merchant.zh-CN.ts'
import { personalZhCN } from '../text/personal.zh-CN.ts'
import { textHook } from './text.ts'

/** The sentences of the back-office, and how times are told. */
export const useMerchantText = textHook({ 'zh-CN': { ...merchantZhCN, when: personalZhCN.when } })
