import { textHook } from '../../../lib/text/text.ts'
import { scanLoginZhCN } from './scan-login.text.zh-CN.ts'

/** The sentences of signing in by scan. */
export const useScanLoginText = textHook({ 'zh-CN': scanLoginZhCN })
