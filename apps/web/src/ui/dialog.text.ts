import { textHook } from '../lib/text/text.ts'
import { dialogZhCN } from './dialog.text.zh-CN.ts'

export const useDialogText = textHook({ 'zh-CN': dialogZhCN })
