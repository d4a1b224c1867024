import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../lib/call/call.ts'

/** The clients that the user has signed in to, most recently used first. */
export const authorizationsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['authorizations', userId],
    queryFn: () => call('/api/user/authorization/list'),
    staleTime: 0,
  })

/** Ends what a client may do; done only when the list was fetched again. */
export function useRevocation() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call('/api/user/authorization/revoke', { client: id }),
    onSuccess: () => client.invalidateQueries({ queryKey: ['authorizations'] }),
  })
}
