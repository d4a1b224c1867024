import { textHook } from '../../../lib/text/text.ts'
import { zhCN } from '../../../lib/text/text.zh-CN.ts'
import { confirmZhCN } from './confirm.text.zh-CN.ts'

/** The sentences of the question whose account a number opens, besides those of every page. */
export const useConfirmText = textHook({ 'zh-CN': { ...zhCN, confirm: confirmZhCN } })
