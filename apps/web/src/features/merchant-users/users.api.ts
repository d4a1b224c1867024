import type { UserRow, UserStatus, WantedUsers } from '@hufu/contract/merchant-users'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { isCheckOwed, useAskCheck } from '../../identity/step-up/two-factor.api.ts'
import { call } from '../../lib/call/call.ts'
import { useListing } from '../../ui/data-table/data-table-listing.ts'
import { showToast } from '../../ui/toast.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'

const listKey = ['merchant', 'users']

export const useUserList = (wanted: WantedUsers, page: number) =>
  useListing<UserRow>([...listKey, wanted], page, (rows) => call('/api/merchant/user/query', { ...wanted, ...rows }))

interface StatusChange {
  ids: string[]
  status: UserStatus
}

/** One after the other; what was changed before a refusal stays changed. */
async function changeStatus({ ids, status }: StatusChange) {
  for (const id of ids) await call('/api/merchant/user/status', { id, status })
}

/** Shows the outcome; a required check comes first, and then the confirmation again. */
export function useStatusChange(onDone: () => void) {
  const text = useMerchantUsersText()
  const client = useQueryClient()
  const askCheck = useAskCheck()
  return useMutation({
    mutationFn: changeStatus,
    onSuccess: () => {
      showToast('good', text.changed)
      onDone()
    },
    onError: (error) => {
      if (isCheckOwed(error)) return askCheck()
      showToast('bad', error.message)
      onDone()
    },
    onSettled: () => void client.invalidateQueries({ queryKey: listKey }),
  })
}
