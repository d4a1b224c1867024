import { textHook } from '../../lib/text/text.ts'
import { dataTableZhCN } from './data-table.text.zh-CN.ts'

export const useDataTableText = textHook({ 'zh-CN': dataTableZhCN })
