import type { SignedInDevice } from '@hufu/contract/devices'
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../lib/call/call.ts'
import { useDevice } from '../../lib/device/device.ts'

const narrow = 768

/** On narrow screens and on wide ones. */
export const pageSizes = [5, 10] as const

const pageSize = (width: number): number => pageSizes[width < narrow ? 0 : 1]

export const usePageSize = () => useDevice(({ width }) => pageSize(width))

interface Paging {
  top: number
  skip: number
}

/** One page of the user's devices. What is shown stays while the next one comes. */
export function devicesQuery(userId: string, { top, skip }: Paging) {
  return queryOptions({
    queryKey: ['devices', userId, top, skip],
    queryFn: () => call('/api/user/token/list', { top, skip }),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

export const removeDevice = ({ id }: Pick<SignedInDevice, 'id'>) => call('/api/user/token/remove', { id })

/** Ends sessions of other browsers; done only when the list was fetched again. */
export function useRemoval<Input = void>(remove: (input: Input) => Promise<unknown>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: remove,
    onSuccess: () => client.invalidateQueries({ queryKey: ['devices'] }),
  })
}

export const removeOtherDevices = () => call('/api/user/token/removeAll')
