import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { isCheckOwed, useAskCheck } from '../../identity/step-up/two-factor.api.ts'
import { CallError, call } from '../../lib/call/call.ts'
import { adopt, visitorQuery } from '../../session/profile.api.ts'
import { refreshMeta } from '../../site/refresh-meta.ts'

/** The versions of the agreements that the user has agreed to, newest first. */
export const consentsQuery = queryOptions({
  queryKey: ['consents'],
  queryFn: () => call('/api/user/agreements/list'),
  staleTime: 0,
})

/** Agrees to a version. Where the site has a newer one by now, that is fetched and asked about instead. */
export function useAgree() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (version: string) => call('/api/user/agreements/agree', { version }),
    onSuccess: async (_answer, version) => {
      await adopt(client, () => ({ agreements: version }))
      void client.invalidateQueries({ queryKey: consentsQuery.queryKey })
    },
    onError: (error) => {
      if (error instanceof CallError && error.code === 'AGREEMENTS_OTHER') refreshMeta()
    },
  })
}

/** Asks for the account to be erased. A check that ran out meanwhile is made again. */
export function useClose(onClosed: () => void) {
  const askCheck = useAskCheck()
  const { mutate, isPending, error } = useClosing(async () => (await call('/api/user/account/close')).due, onClosed)
  const owed = isCheckOwed(error)
  return {
    close: () => mutate(undefined, { onError: (failure) => isCheckOwed(failure) && askCheck() }),
    busy: isPending,
    error: owed ? undefined : error?.message,
  }
}

/** Takes that back. */
export function useKeep(onKept: () => void) {
  const { mutate, isPending, error } = useClosing(() => call('/api/user/account/keep'), onKept)
  return { keep: () => mutate(), busy: isPending, error: error?.message }
}

/** Changes when the account will be erased. A refusal may mean that another device was first: the state is fetched again. */
function useClosing(change: () => Promise<number | null>, onChanged: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: async (closing) => {
      await adopt(client, () => ({ closing }))
      onChanged()
    },
    onSettled: () => void client.invalidateQueries({ queryKey: visitorQuery.queryKey }),
  })
}
