import { confirmZhCN } from '../text/confirm.zh-CN.ts'
import { zhCN } from '../text/zh-CN.ts'
import { textHook } from './text.ts'

/** The sentences of the question whose account a number opens, besides those of every page. */
export const useConfirmText = textHook({ 'zh-CN': { ...zhCN, confirm: confirmZhCN } })
