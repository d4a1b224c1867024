import { type QueryKey, useQueryClient } from '@tanstack/react-query'

/** Asks the server anew at once. A plain refetch would wait with the query, which waits ever longer between its own tries. */
export function useAskAgain(queryKey: QueryKey) {
  const client = useQueryClient()
  return () => void client.resetQueries({ queryKey, exact: true })
}
