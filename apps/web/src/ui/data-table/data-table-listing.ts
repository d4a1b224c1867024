import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { troubleOf } from '../../lib/call/failure.ts'
import { isRetryable } from '../../lib/call/is-retryable.ts'
import { showToast } from '../toast.tsx'
import { slice } from './data-table-pages.ts'
import type { Listing } from './data-table-props.ts'

type Answer<Row> = NonNullable<Listing<Row>['data']>

/** A page of rows; the former ones stay until it is loaded. An error of the server is shown as a toast. */
export function useListing<Row>(
  queryKey: QueryKey,
  page: number,
  ask: (rows: ReturnType<typeof slice>) => Promise<Answer<Row>>,
): Listing<Row> {
  const { data, isPlaceholderData, isFetching, failureReason, refetch } = useQuery<Answer<Row>>({
    queryKey: [...queryKey, page],
    queryFn: () => ask(slice(page)),
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: isRetryable,
  })
  const trouble = troubleOf(failureReason)
  useEffect(() => {
    if (trouble !== undefined) showToast('bad', trouble)
  }, [trouble])
  return {
    data,
    old: isPlaceholderData,
    busy: isFetching && data !== undefined,
    trouble,
    refresh: () => void refetch(),
  }
}
