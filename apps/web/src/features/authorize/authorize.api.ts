import { pages } from '@hufu/contract/pages'
import { queryOptions } from '@tanstack/react-query'
import { call } from '../../lib/call/call.ts'

/** An id may be used once: the response is kept, and only the user triggers a retry. */
const once = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  retry: false,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const

/** The page that goes on with a new authorization for a source. */
export const createQuery = (source: string, given: Record<string, string>) =>
  queryOptions({
    ...once,
    queryKey: ['authorize', source, given],
    queryFn: async () => {
      const id = await call('/api/login/authorize/create', { ...given, source })
      return pages.loginAuthorize.replace(':id', encodeURIComponent(id))
    },
  })

/** The sign-in page, or the other site's address with a ticket. */
export const bindQuery = (id: string) =>
  queryOptions({
    ...once,
    queryKey: ['login-authorize', id],
    queryFn: () => call('/api/login/authorize/binding', { id }),
  })
