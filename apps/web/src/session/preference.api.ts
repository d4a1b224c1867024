import { call } from '../lib/call/call.ts'
import { useDevice } from '../lib/device/device.ts'

/** At sign-in the preferences of this device are sent to the account once; they apply here in any case. */
export function sendUpPreference() {
  const { preference } = useDevice.getState()
  if (Object.keys(preference).length === 0) return
  call('/api/user/preference', preference, { keepalive: true }).catch(() => undefined)
}
