import { textHook } from '../../lib/text/text.ts'
import { whenZhCN } from '../../lib/time/when.text.zh-CN.ts'
import { configZhCN } from './config.text.zh-CN.ts'

/** The sentences of the configuration page, and how times are written. */
export const useConfigText = textHook({ 'zh-CN': { ...configZhCN, when: whenZhCN } })
