import { textHook } from '../../lib/text/text.ts'
import { whenZhCN } from '../../lib/time/when.text.zh-CN.ts'
import { recoveryZhCN } from './recovery.text.zh-CN.ts'

/** The sentences of coming back to an account whose number is gone, and how times are written. */
export const useRecoveryText = textHook({ 'zh-CN': { ...recoveryZhCN, when: whenZhCN } })
