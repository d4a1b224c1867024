import { textHook } from '../../lib/text/text.ts'
import { personalZhCN } from '../profile/profile.text.zh-CN.ts'
import { privacyZhCN } from './privacy.text.zh-CN.ts'

/** The sentences of agreements, personal data and closing the account, and how times are told. */
export const usePrivacyText = textHook({ 'zh-CN': { ...privacyZhCN, when: personalZhCN.when } })
