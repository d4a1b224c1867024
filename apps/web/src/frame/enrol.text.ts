import { textHook } from '../lib/text/text.ts'
import { enrolZhCN } from './enrol.text.zh-CN.ts'

export const useEnrolText = textHook({ 'zh-CN': enrolZhCN })
