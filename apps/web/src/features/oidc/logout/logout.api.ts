import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { CallError, call } from '../../../lib/call/call.ts'
import { forgetUser } from '../../../session/profile.api.ts'

/** Which client asks to sign out. */
export const logoutQuery = (id: string) =>
  queryOptions({
    queryKey: ['logout', id],
    queryFn: () => call('/api/oidc/logout/read', { id }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

/** The server has no such request, or no longer. */
export const isLogoutOver = (error: unknown) =>
  error instanceof CallError && ['AUTHORIZE_EXPIRED', 'INPUT_INVALID'].includes(error.code)

/** Signs out; the browser then goes to the client or to our own page. */
export function useConfirmLogout(id: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call('/api/oidc/logout/confirm', { id }),
    onSuccess: ({ location }) => {
      forgetUser(client)
      window.location.replace(location)
    },
  })
}
