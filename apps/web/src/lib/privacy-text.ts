import { personalZhCN } from '../text/personal.zh-CN.ts'
import { privacyZhCN } from '../text/privacy.zh-CN.ts'
import { textHook } from './text.ts'

/** The sentences of agreements, personal data and closing the account, and how times are told. */
export const usePrivacyText = textHook({ 'zh-CN': { ...privacyZhCN, when: personalZhCN.when } })
