import { mayMerchant } from '../../frame/navigation.ts'
import { useUser } from '../../session/profile.api.ts'
import { useMerchantUsersText } from './merchant-users.text.ts'

/** Why the operator may not change users, if so. */
export function useAdminRefusal(): string | undefined {
  const text = useMerchantUsersText()
  const { user } = useUser()
  return mayMerchant(user?.permission, 'ADMIN') ? undefined : text.notAllowed
}

/** The same, and an operator can't do this to the own account. */
export function useOthersRefusal(id: string): string | undefined {
  const text = useMerchantUsersText().user
  const { user } = useUser()
  const refusal = useAdminRefusal()
  return refusal ?? (user?.id === id ? text.ownAccount : undefined)
}
