import { personalZhCN } from '../text/personal.zh-CN.ts'
import { zhCN } from '../text/zh-CN.ts'
import { textHook } from './text.ts'

/** The sentences of the pages under /user besides those of every page. */
export const usePersonalText = textHook({ 'zh-CN': { ...zhCN, ...personalZhCN } })
