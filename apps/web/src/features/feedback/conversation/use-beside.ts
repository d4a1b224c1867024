import { useDevice } from '../../../lib/device/device.ts'

/** From this width on, in rem, there is room beside the conversation: larger letters need more. */
const beside = 100

export const useBeside = () => useDevice(({ width, fontSize }) => width >= beside * fontSize)
