import { type QueryKey, useQueryClient } from '@tanstack/react-query'

/** Refetches at once. A plain refetch would wait for the query's retry backoff. */
export function useAskAgain(queryKey: QueryKey) {
  const client = useQueryClient()
  return () => void client.resetQueries({ queryKey, exact: true })
}
