import { textHook } from '../../lib/text/text.ts'
import { whenZhCN } from '../../lib/time/when.text.zh-CN.ts'
import { merchantUsersZhCN } from './merchant-users.text.zh-CN.ts'

/** The sentences of user management, and how times are written. */
export const useMerchantUsersText = textHook({ 'zh-CN': { ...merchantUsersZhCN, when: whenZhCN } })
