import { personalZhCN } from '../text/personal.zh-CN.ts'
import { undoZhCN } from '../text/undo.zh-CN.ts'
import { textHook } from './text.ts'

/** The sentences of undoing a change, and how times are told. */
export const useUndoText = textHook({ 'zh-CN': { ...undoZhCN, when: personalZhCN.when } })
