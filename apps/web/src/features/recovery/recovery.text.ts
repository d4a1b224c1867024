import { textHook } from '../../lib/text/text.ts'
import { personalZhCN } from '../profile/profile.text.zh-CN.ts'
import { recoveryZhCN } from './recovery.text.zh-CN.ts'

/** The sentences of coming back to an account whose number is gone, and how times are told. */
export const useRecoveryText = textHook({ 'zh-CN': { ...recoveryZhCN, when: personalZhCN.when } })
