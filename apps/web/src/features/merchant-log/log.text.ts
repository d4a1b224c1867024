import { textHook } from '../../lib/text/text.ts'
import { whenZhCN } from '../../lib/time/when.text.zh-CN.ts'
import { logZhCN } from './log.text.zh-CN.ts'

/** The sentences of the operation log, and how times are written. */
export const useLogText = textHook({ 'zh-CN': { log: logZhCN, when: whenZhCN } })
