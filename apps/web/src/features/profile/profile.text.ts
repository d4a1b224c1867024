import { textHook } from '../../lib/text/text.ts'
import { zhCN } from '../../lib/text/text.zh-CN.ts'
import { personalZhCN } from './profile.text.zh-CN.ts'

/** The sentences of the pages under /user besides those of every page. */
export const usePersonalText = textHook({ 'zh-CN': { ...zhCN, ...personalZhCN } })
