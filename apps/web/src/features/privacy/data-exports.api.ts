import type { MadeFile } from '@hufu/contract/fields'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../lib/call/call.ts'
import { useNow } from '../../lib/time/use-now.ts'
import { useAskAgain } from '../../lib/use-ask-again.ts'

const every = 1_000

export const isUnderWay = ({ status }: MadeFile) => status === 'waiting' || status === 'running'

/** Polled until it is finished, while the page is visible. */
const exportsQuery = queryOptions({
  queryKey: ['data-exports'],
  queryFn: () => call('/api/user/data/exports'),
  staleTime: 0,
  refetchInterval: ({ state }) => (state.data?.data.some(isUnderWay) ? every : false),
})

/** The own newest archive, unless its file can't be fetched any more. */
export function useNewestExport() {
  const now = useNow()
  const { data, failureReason } = useQuery(exportsQuery)
  const newest = data?.data[0]
  const over = newest?.status === 'done' && (newest.expires ?? 0) <= now
  return {
    newest: over ? undefined : newest,
    waiting: !data && !failureReason,
    trouble: data ? undefined : failureReason?.message,
    askAgain: useAskAgain(exportsQuery.queryKey),
  }
}

/** Starts an archive. After a refusal the state is fetched again, because another tab may have started one. */
export function useBeginExport() {
  const client = useQueryClient()
  const { queryKey } = exportsQuery
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('/api/user/data/export'),
    onSuccess: (begun) =>
      client.setQueryData(queryKey, (known) => {
        const data = [begun, ...(known?.data ?? []).filter(({ id }) => id !== begun.id)]
        return { count: data.length, data }
      }),
    onError: () => void client.invalidateQueries({ queryKey }),
  })
  return { begin: () => mutate(), busy: isPending, error: error?.message }
}
