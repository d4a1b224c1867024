import type { WantedUsers } from '@hufu/contract/merchant-users'
import { dayStart } from '../../lib/list-address.ts'

export const scopes = ['disabled', 'operators', 'unprotectedOperators'] as const
export type Scope = (typeof scopes)[number]

/** Which users, as it stands in the address and in the fields. */
export interface UserFilter {
  search?: string
  only?: Scope
  /** Days. */
  from?: string
  to?: string
}

/** A search has no filters; those in the address are ignored. */
export function filterIn(params: URLSearchParams): UserFilter {
  // Cut between characters: half a surrogate pair can't be sent.
  const search = params
    .get('search')
    ?.trim()
    .slice(0, 100)
    .replace(/[\ud800-\udbff]$/, '')
    .trim()
  if (search) return { search }
  const only = scopes.find((scope) => scope === params.get('only'))
  const [from, to] = [params.get('from'), params.get('to')]
  return {
    ...(only && { only }),
    ...(from && dayStart(from) !== undefined && { from }),
    ...(to && dayStart(to) !== undefined && { to }),
  }
}

/** As sent to the server: the last day is included. */
export function wantedOf({ search, only, from, to }: UserFilter): WantedUsers {
  const [begin, end] = [dayStart(from ?? null), dayStart(to ?? null, 1)]
  return {
    ...(search && { search }),
    ...(only && { only }),
    ...(begin !== undefined && { from: Math.max(0, begin) }),
    ...(end !== undefined && { to: Math.max(0, end) }),
  }
}

/** A search clears the filters, a filter the search. */
export const searching = (search: string) => ({ search, only: undefined, from: undefined, to: undefined })
export const filtering = (change: Partial<Record<'only' | 'from' | 'to', string | undefined>>) => ({
  search: undefined,
  ...change,
})
