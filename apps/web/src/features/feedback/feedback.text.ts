import { textHook } from '../../lib/text/text.ts'
import { personalZhCN } from '../profile/profile.text.zh-CN.ts'
import { feedbackZhCN } from './feedback.text.zh-CN.ts'

/** The sentences of feedback, and how times are told. */
export const useFeedbackText = textHook({ 'zh-CN': { ...feedbackZhCN, when: personalZhCN.when } })
