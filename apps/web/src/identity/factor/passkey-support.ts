import { useDevice } from '../../lib/device/device.ts'
import { isWeChat } from '../../lib/device/device-rules.ts'

const interfaceOf = () => (typeof PublicKeyCredential === 'undefined' ? undefined : PublicKeyCredential)

/** Whether the browser has passkeys. Some WeChat browsers have the interface, but no passkeys behind it. */
export function usePasskeys(): boolean {
  return !useDevice(isWeChat) && interfaceOf() !== undefined
}

/** Whether it may offer them while a field is filled in; browsers before that misread the field's hint. */
export function usePasskeysInFields(): boolean {
  return usePasskeys() && 'isConditionalMediationAvailable' in PublicKeyCredential
}
