import { textHook } from '../lib/text/text.ts'
import { pagerZhCN } from './pager.text.zh-CN.ts'

export const usePagerText = textHook({ 'zh-CN': pagerZhCN })
