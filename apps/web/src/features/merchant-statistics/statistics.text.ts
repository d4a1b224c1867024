import { textHook } from '../../lib/text/text.ts'
import { whenZhCN } from '../../lib/time/when.text.zh-CN.ts'
import { statisticsZhCN } from './statistics.text.zh-CN.ts'

/** The sentences of the statistics, and how times are written. */
export const useStatisticsText = textHook({ 'zh-CN': { ...statisticsZhCN, when: whenZhCN } })
