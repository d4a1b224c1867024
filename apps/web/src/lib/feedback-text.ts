import { feedbackZhCN } from '../text/feedback.zh-CN.ts'
import { personalZhCN } from '../text/personal.zh-CN.ts'
import { textHook } from './text.ts'

/** The sentences of feedback, and how times are told. */
export const useFeedbackText = textHook({ 'zh-CN': { ...feedbackZhCN, when: personalZhCN.when } })
