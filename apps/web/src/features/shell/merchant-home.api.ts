import { useQuery } from '@tanstack/react-query'
import { call } from '../../lib/call.ts'
import { listKey } from '../feedback/feedback.api.ts'
import { useUser } from '../profile/profile.api.ts'
import { mayMerchant } from './navigation.ts'

const every = 10_000

/** What waits and how the day goes. Kept beside the lists of feedback, so that it is asked for anew when they are. */
export function useMerchantHome() {
  const { user } = useUser()
  const { data, failureReason } = useQuery({
    queryKey: [...listKey(user?.id ?? '', 'merchant'), 'home'],
    queryFn: () => call('/api/merchant/home'),
    enabled: mayMerchant(user?.permission, 'READ'),
    staleTime: 0,
    refetchInterval: every,
    retry: true,
    retryDelay: every,
  })
  return { home: data, failing: failureReason !== null }
}
