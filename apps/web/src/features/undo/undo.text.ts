import { textHook } from '../../lib/text/text.ts'
import { personalZhCN } from '../profile/profile.text.zh-CN.ts'
import { undoZhCN } from './undo.text.zh-CN.ts'

/** The sentences of undoing a change, and how times are told. */
export const useUndoText = textHook({ 'zh-CN': { ...undoZhCN, when: personalZhCN.when } })
