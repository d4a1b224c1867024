import { textHook } from '../../lib/text/text.ts'
import { whenZhCN } from '../../lib/time/when.text.zh-CN.ts'
import { devicesZhCN } from './devices.text.zh-CN.ts'

/** The sentences of the devices, and how times are written. */
export const useDevicesText = textHook({ 'zh-CN': { devices: devicesZhCN, when: whenZhCN } })
