import { useQuery } from '@tanstack/react-query'
import { mayMerchant } from '../../frame/navigation.ts'
import { call } from '../../lib/call/call.ts'
import { useAskAgain } from '../../lib/use-ask-again.ts'
import { useUser } from '../../session/profile.api.ts'
import { homeKey } from '../feedback/feedback.api.ts'

const every = 10_000

/** Waiting feedback and the figures of the day; also refetched after events of conversations. */
export function useMerchantHome() {
  const { user } = useUser()
  const queryKey = homeKey(user?.id ?? '')
  const askAgain = useAskAgain(queryKey)
  const { data, failureReason } = useQuery({
    queryKey,
    queryFn: () => call('/api/merchant/home'),
    enabled: mayMerchant(user?.permission, 'READ'),
    staleTime: 0,
    refetchInterval: every,
    retry: true,
    retryDelay: every,
  })
  return { home: data, failing: failureReason !== null, askAgain }
}
