import { textHook } from '../lib/text/text.ts'
import { sideListZhCN } from './side-list.text.zh-CN.ts'

export const useSideListText = textHook({ 'zh-CN': sideListZhCN })
