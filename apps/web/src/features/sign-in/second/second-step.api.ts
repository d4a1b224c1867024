import { queryOptions } from '@tanstack/react-query'
import { type CallInput, call } from '../../../lib/call/call.ts'
import { isRetryable } from '../../../lib/call/is-retryable.ts'
import { factorTicketKey } from '../login/login.api.ts'

/** Known already where the sign-in was refused on this page; fetched after a navigation or a reload. */
export const factorTicketQuery = (ticket: string) =>
  queryOptions({
    queryKey: factorTicketKey(ticket),
    queryFn: () => call('/api/login/factor/read', { ticket }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: isRetryable,
  })

export const fetchPasskeyOptions = () => call('/api/login/passkey/options')

export const loginByFactor = (input: CallInput<'/api/login/factor'>) => call('/api/login/factor', input)
