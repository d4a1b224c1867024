import { textHook } from '../../../lib/text/text.ts'
import { deviceZhCN } from './device.text.zh-CN.ts'

export const useDeviceText = textHook({ 'zh-CN': deviceZhCN })
