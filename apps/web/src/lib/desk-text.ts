import { deskZhCN } from '../text/desk.zh-CN.ts'
import { feedbackZhCN } from '../text/feedback.zh-CN.ts'
import { personalZhCN } from '../text/personal.zh-CN.ts'
import { textHook } from './text.ts'

const { tryAgain, unknownPerson, notAllowed } = feedbackZhCN

/** The sentences of operators among themselves, and how times are told. */
export const useDeskText = textHook({
  'zh-CN': { ...deskZhCN, tryAgain, unknownPerson, notAllowed, when: personalZhCN.when },
})
