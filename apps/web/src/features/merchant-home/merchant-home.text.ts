import { textHook } from '../../lib/text/text.ts'
import { whenZhCN } from '../../lib/time/when.text.zh-CN.ts'
import { merchantDayZhCN } from './merchant-day.text.zh-CN.ts'
import { merchantHomeZhCN } from './merchant-home.text.zh-CN.ts'

/** The sentences of the back-office's home, and how times are written. */
export const useMerchantHomeText = textHook({
  'zh-CN': { home: merchantHomeZhCN, day: merchantDayZhCN, when: whenZhCN },
})
