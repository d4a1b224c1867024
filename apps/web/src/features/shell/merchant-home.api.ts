import { useQuery } from '@tanstack/react-query'
import { call } from '../../lib/call.ts'
import { useAskAgain } from '../../lib/use-ask-again.ts'
import { homeKey } from '../feedback/feedback.api.ts'
import { useUser } from '../profile/profile.api.ts'
import { mayMerchant } from './navigation.ts'

const every = 10_000

/** What waits and how the day goes; asked for anew also when something happens in a conversation. */
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
