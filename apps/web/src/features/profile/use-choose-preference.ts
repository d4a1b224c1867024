import { changePreference, followAccount, type PreferenceChange, useDevice } from '../../lib/device/device.ts'
import { useUser } from '../../session/profile.api.ts'
import { showToast } from '../../ui/toast.tsx'
import { useSendPreference } from './change-profile.api.ts'
import { useProfileText } from './profile.text.ts'

/** What a user sets holds here at once; while they are signed in it goes to the account too, where null unsets. */
export function useChoosePreference() {
  const text = useProfileText().preference
  const { user } = useUser()
  const { mutate } = useSendPreference()
  return (change: PreferenceChange) => {
    changePreference(change)
    if (!user) return
    // Else what is unset here would follow the account's former choice until that has changed too.
    followAccount({ ...useDevice.getState().accountPreference, ...change })
    const sent = Object.fromEntries(Object.entries(change).map(([field, value]) => [field, value ?? null]))
    mutate(sent, { onError: () => showToast('bad', text.notSent) })
  }
}
