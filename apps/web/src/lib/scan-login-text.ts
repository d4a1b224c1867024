import { scanLoginZhCN } from '../text/scan-login.zh-CN.ts'
import { textHook } from './text.ts'

/** The sentences of signing in by scan. */
export const useScanLoginText = textHook({ 'zh-CN': scanLoginZhCN })
