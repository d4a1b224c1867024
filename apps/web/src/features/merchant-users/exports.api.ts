import type { MadeFile } from '@hufu/contract/fields'
import type { WantedUsers } from '@hufu/contract/merchant-users'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { isCheckOwed, useAskCheck } from '../../identity/step-up/two-factor.api.ts'
import { call } from '../../lib/call/call.ts'
import { isRetryable } from '../../lib/call/is-retryable.ts'

const exportsKey = ['merchant', 'exports']
const every = 1_000

export const isUnderWay = ({ status }: MadeFile) => status === 'waiting' || status === 'running'

/** The operator's newest export, polled until it is finished. */
export function useNewestExport(enabled: boolean): MadeFile | undefined {
  const { data } = useQuery({
    queryKey: exportsKey,
    queryFn: () => call('/api/merchant/user/exports'),
    enabled,
    staleTime: 0,
    retry: isRetryable,
    refetchInterval: ({ state }) => (state.data?.data.some(isUnderWay) ? every : false),
  })
  return data?.data[0]
}

/** Starts one. A required check comes first; any other error stays in the dialog. */
export function useExport(onBegun: () => void) {
  const client = useQueryClient()
  // A new browser needs a second kind of proof for this.
  const askCheck = useAskCheck()
  const { mutate, isPending, error } = useMutation({
    mutationFn: (wanted: WantedUsers) => call('/api/merchant/user/export', wanted),
    onSuccess: (begun) => {
      client.setQueryData<{ count: number; data: MadeFile[] }>(exportsKey, (known) => {
        const data = [begun, ...(known?.data ?? []).filter(({ id }) => id !== begun.id)]
        return { count: data.length, data }
      })
      onBegun()
    },
    onError: (failure) => {
      if (isCheckOwed(failure)) askCheck()
    },
  })
  return { begin: mutate, busy: isPending, error: isCheckOwed(error) ? undefined : error?.message }
}
