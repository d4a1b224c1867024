import { textHook } from '../../lib/text/text.ts'
import { personalZhCN } from '../profile/profile.text.zh-CN.ts'
import { merchantZhCN } from './merchant-users.text.zh-CN.ts'

/** The sentences of the back-office, and how times are told. */
export const useMerchantText = textHook({ 'zh-CN': { ...merchantZhCN, when: personalZhCN.when } })
