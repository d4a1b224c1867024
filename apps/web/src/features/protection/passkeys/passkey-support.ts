import { useDevice } from '../../../lib/device/device.ts'
import { isWeChat } from '../../../lib/device/device-rules.ts'

/** WeChat's browser has the interface on some phones, and no authenticator behind it. */
export const usePasskeySupport = () => {
  const inWeChat = useDevice(isWeChat)
  return !inWeChat && typeof window.PublicKeyCredential === 'function'
}
