import { textHook } from '../lib/text/text.ts'
import { siteZhCN } from './site.text.zh-CN.ts'

export const useSiteText = textHook({ 'zh-CN': siteZhCN })
