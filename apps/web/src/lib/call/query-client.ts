import { QueryClient } from '@tanstack/react-query'

/** The query cache, kept while the page is open. Retries after failures, with backoff. */
export const queryClient = new QueryClient({
  defaultOptions: {
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: 30_000,
      retry: true,
      retryDelay: (failures) => Math.min(1_000 * 2 ** failures, 30_000),
    },
  },
})
