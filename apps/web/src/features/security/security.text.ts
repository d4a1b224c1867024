import { textHook } from '../../lib/text/text.ts'
import { whenZhCN } from '../../lib/time/when.text.zh-CN.ts'
import { securityZhCN } from './security.text.zh-CN.ts'

/** The sentences of the own security history, and how times are written. */
export const useSecurityText = textHook({ 'zh-CN': { ...securityZhCN, when: whenZhCN } })
