import { textHook } from '../../lib/text/text.ts'
import { personalZhCN } from '../profile/profile.text.zh-CN.ts'
import { securityZhCN } from './security.text.zh-CN.ts'

/** The sentences of the own security history, and how times are told. */
export const useSecurityText = textHook({ 'zh-CN': { ...securityZhCN, when: personalZhCN.when } })
