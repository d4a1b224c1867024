import { useMerchantText } from '../../lib/merchant-text.ts'
import { useUser } from '../profile/profile.api.ts'
import { mayMerchant } from '../shell/navigation.ts'

/** Why the operator may not change people, if so. */
export function useAdminRefusal(): string | undefined {
  const text = useMerchantText()
  const { user } = useUser()
  return mayMerchant(user?.permission, 'ADMIN') ? undefined : text.notAllowed
}

/** The same, and nobody does these things to themselves. */
export function useOthersRefusal(id: string): string | undefined {
  const text = useMerchantText().person
  const { user } = useUser()
  const refusal = useAdminRefusal()
  return refusal ?? (user?.id === id ? text.ownAccount : undefined)
}
