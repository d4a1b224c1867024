import { personalZhCN } from '../text/personal.zh-CN.ts'
import { securityZhCN } from '../text/security.zh-CN.ts'
import { textHook } from './text.ts'

/** The sentences of the own security history, and how times are told. */
export const useSecurityText = textHook({ 'zh-CN': { ...securityZhCN, when: personalZhCN.when } })
