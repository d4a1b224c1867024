import { textHook } from '../../lib/text/text.ts'
import { whenZhCN } from '../../lib/time/when.text.zh-CN.ts'
import { undoZhCN } from './undo.text.zh-CN.ts'

/** The sentences of undoing a change, and how times are written. */
export const useUndoText = textHook({ 'zh-CN': { ...undoZhCN, when: whenZhCN } })
