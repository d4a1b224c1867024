import { useEffect } from 'react'
import { followAccount } from '../lib/device/device.ts'
import { useUser } from './profile.api.ts'

/** What this device leaves unset follows the signed-in user's preferences. */
export function useAccountPreference() {
  const { user } = useUser()
  const preference = user?.preference
  useEffect(() => followAccount(preference ?? {}), [preference])
}
