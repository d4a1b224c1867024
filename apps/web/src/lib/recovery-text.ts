import { personalZhCN } from '../text/personal.zh-CN.ts'
import { recoveryZhCN } from '../text/recovery.zh-CN.ts'
import { textHook } from './text.ts'

/** The sentences of coming back to an account whose number is gone, and how times are told. */
export const useRecoveryText = textHook({ 'zh-CN': { ...recoveryZhCN, when: personalZhCN.when } })
