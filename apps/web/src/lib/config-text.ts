import { configZhCN } from '../text/config.zh-CN.ts'
import { personalZhCN } from '../text/personal.zh-CN.ts'
import { textHook } from './text.ts'

/** The sentences of the configuration page and of the JSON editor, and how times are told. */
export const useConfigText = textHook({ 'zh-CN': { ...configZhCN, when: personalZhCN.when } })
