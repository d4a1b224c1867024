import { QueryClient } from '@tanstack/react-query'

/** What the server told us, kept while the page is open. Asks again by itself after trouble, ever more patiently. */
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
