import { textHook } from '../../../lib/text/text.ts'
import { whenZhCN } from '../../../lib/time/when.text.zh-CN.ts'
import { feedbackZhCN } from '../feedback.text.zh-CN.ts'
import { deskZhCN } from './desk.text.zh-CN.ts'

const { tryAgain, noNickname, notAllowed } = feedbackZhCN

/** The sentences of operators among themselves, and how times are written. */
export const useDeskText = textHook({
  'zh-CN': { ...deskZhCN, tryAgain, noNickname, notAllowed, when: whenZhCN },
})
