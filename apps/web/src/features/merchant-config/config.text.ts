import { textHook } from '../../lib/text/text.ts'
import { personalZhCN } from '../profile/profile.text.zh-CN.ts'
import { configZhCN } from './config.text.zh-CN.ts'

/** The sentences of the configuration page and of the JSON editor, and how times are told. */
export const useConfigText = textHook({ 'zh-CN': { ...configZhCN, when: personalZhCN.when } })
