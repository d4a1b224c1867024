import { merchantDayZhCN } from '../text/merchant-day.zh-CN.ts'
import { personalZhCN } from '../text/personal.zh-CN.ts'
import { statisticsZhCN } from '../text/statistics.zh-CN.ts'
import { textHook } from './text.ts'

/** The sentences of the back-office's home, of its figures and of AI, and how times are told. */
export const useStatisticsText = textHook({
  'zh-CN': { ...statisticsZhCN, day: merchantDayZhCN, when: personalZhCN.when },
})
