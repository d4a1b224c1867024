import type { InputOf } from '@hufu/contract/endpoint'
import type { OperatorAction, OperatorEntry, queryOperatorLog } from '@hufu/contract/operators'
import { call } from '../../lib/call/call.ts'
import { dayStart } from '../../lib/list-address.ts'
import { useListing } from '../../ui/data-table/data-table-listing.ts'

/** The filter, as in the address and in the fields. */
export interface LogFilter {
  operator?: string
  person?: string
  action?: OperatorAction
  /** Days. */
  from?: string
  to?: string
}

/** A whole id, or its first eight characters. */
export const isUserId = (text: string) => /^[0-9a-f]{8}(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/i.test(text)

/** Invalid values in the address are ignored. */
export function logFilterIn(params: URLSearchParams, actions: string[]): LogFilter {
  const given = (name: string, fits: (value: string) => boolean) => {
    const value = params.get(name)
    return value && fits(value) ? { [name]: value } : {}
  }
  const isDay = (value: string) => dayStart(value) !== undefined
  return {
    ...given('operator', isUserId),
    ...given('person', isUserId),
    ...given('action', (value) => actions.includes(value)),
    ...given('from', isDay),
    ...given('to', isDay),
  }
}

/** As sent to the server: the last day is included. */
function wantedLog({ from, to, ...named }: LogFilter): Omit<InputOf<typeof queryOperatorLog>, 'top' | 'skip'> {
  const [begin, end] = [dayStart(from ?? null), dayStart(to ?? null, 1)]
  return {
    ...named,
    ...(begin !== undefined && { from: Math.max(0, begin) }),
    ...(end !== undefined && { to: Math.max(0, end) }),
  }
}

export function useLog(filter: LogFilter, page: number) {
  const wanted = wantedLog(filter)
  return useListing<OperatorEntry>(['merchant', 'log', wanted], page, (rows) =>
    call('/api/merchant/log/query', { ...wanted, ...rows }),
  )
}
