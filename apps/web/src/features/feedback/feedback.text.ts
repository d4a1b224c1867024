import { textHook } from '../../lib/text/text.ts'
import { whenZhCN } from '../../lib/time/when.text.zh-CN.ts'
import { feedbackZhCN } from './feedback.text.zh-CN.ts'

/** The sentences of feedback, and how times are written. */
export const useFeedbackText = textHook({ 'zh-CN': { ...feedbackZhCN, when: whenZhCN } })
