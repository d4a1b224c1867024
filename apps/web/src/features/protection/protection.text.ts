import { textHook } from '../../lib/text/text.ts'
import { whenZhCN } from '../../lib/time/when.text.zh-CN.ts'
import { protectionZhCN } from './protection.text.zh-CN.ts'

/** The sentences of the second factors, and how times are written. */
export const useProtectionText = textHook({ 'zh-CN': { ...protectionZhCN, when: whenZhCN } })
