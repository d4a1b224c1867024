import type { UserInfo } from '@hufu/contract/profile'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../lib/call/call.ts'
import { adopt } from '../../session/profile.api.ts'

export function useChangeNickname() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (nickname: string) => call('/api/user/info/changeNickname', { nickname }),
    onSuccess: (_answer, nickname) => adopt(client, () => ({ nickname })),
  })
}

type Preference = UserInfo['preference']
type PreferenceChange = { [Field in keyof Preference]?: Preference[Field] | null }

/** Sent one after the other, so that the last choice wins. Applies here at once, even if sending fails. */
export function useSendPreference() {
  const client = useQueryClient()
  return useMutation({
    scope: { id: 'preference' },
    mutationFn: (change: PreferenceChange) => call('/api/user/preference', change),
    onMutate: (change) =>
      adopt(client, ({ preference }) => {
        const chosen = Object.entries({ ...preference, ...change }).filter(([, value]) => value !== null)
        return { preference: Object.fromEntries(chosen) as Preference }
      }),
  })
}
