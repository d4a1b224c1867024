import { textHook } from '../../lib/text/text.ts'
import { whenZhCN } from '../../lib/time/when.text.zh-CN.ts'
import { privacyZhCN } from './privacy.text.zh-CN.ts'

/** The sentences of agreements, personal data and closing the account, and how times are written. */
export const usePrivacyText = textHook({ 'zh-CN': { ...privacyZhCN, when: whenZhCN } })
