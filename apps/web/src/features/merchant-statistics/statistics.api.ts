import type { FigureName, Window } from '@hufu/contract/statistics-rules'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { mayMerchant } from '../../frame/navigation.ts'
import { call } from '../../lib/call/call.ts'
import { troubleOf } from '../../lib/call/failure.ts'
import { useUser } from '../../session/profile.api.ts'
import { showToast } from '../../ui/toast.tsx'

const every = 5_000

/** Polled while the page is visible, also after errors, always at the same interval: the figures are to be fresh. */
const live = { staleTime: 0, refetchInterval: every, retry: true, retryDelay: every }

/** Shows an error when it begins, not at every retry. */
function useFailureToast(failure: Error | null) {
  const trouble = troubleOf(failure)
  useEffect(() => {
    if (trouble !== undefined) showToast('bad', trouble)
  }, [trouble])
}

/** Not requested without READ. */
export function useStatistics() {
  const { user } = useUser()
  const { data, failureReason } = useQuery({
    queryKey: ['statistics', user?.id, 'figures'],
    queryFn: () => call('/api/merchant/user/statistics'),
    enabled: mayMerchant(user?.permission, 'READ'),
    ...live,
  })
  useFailureToast(failureReason)
  return { statistics: data, failing: failureReason !== null }
}

/** The curve that was shown stays, marked as old, until the next one is there. */
export function useCurve(window: Window, figure: FigureName) {
  const userId = useUser().user?.id
  const { data, failureReason, isPlaceholderData } = useQuery({
    queryKey: ['statistics', userId, 'curve', window, figure],
    queryFn: () => call('/api/merchant/user/curve', { window, figure }),
    placeholderData: keepPreviousData,
    ...live,
  })
  useFailureToast(failureReason)
  return { curve: data, old: isPlaceholderData, failing: failureReason !== null }
}
