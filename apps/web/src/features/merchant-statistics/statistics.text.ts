import { textHook } from '../../lib/text/text.ts'
import { merchantDayZhCN } from '../merchant-home/merchant-day.text.zh-CN.ts'
import { personalZhCN } from '../profile/profile.text.zh-CN.ts'
import { statisticsZhCN } from './statistics.text.zh-CN.ts'

/** The sentences of the back-office's home, of its figures and of AI, and how times are told. */
export const useStatisticsText = textHook({
  'zh-CN': { ...statisticsZhCN, day: merchantDayZhCN, when: personalZhCN.when },
})
