import { textHook } from '../../lib/text/text.ts'
import { jsonEditorZhCN } from './json-editor.text.zh-CN.ts'

export const useJsonEditorText = textHook({ 'zh-CN': jsonEditorZhCN })
