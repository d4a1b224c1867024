import { queryOptions } from '@tanstack/react-query'
import { CallError, call } from '../lib/call/call.ts'

const resume = '/oidc/authorize/'

/** The path that continues the sign-in of a client. */
export const resumePath = (id: string) => resume + encodeURIComponent(id)

/** The id in such a path; any other address has none that the server knows. */
export const interactionIn = (address: string) => address.slice(resume.length)

/** Which client waits, and for what. Read once for every time that a page opens: an answer leads away. */
export const interactionQuery = (id: string) =>
  queryOptions({
    queryKey: ['interaction', id],
    queryFn: () => call('/api/oidc/interaction', { id }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })

/** The client's request is over; only the client can make a new one. */
export const isInteractionOver = (error: unknown) =>
  error instanceof CallError && ['AUTHORIZE_EXPIRED', 'INPUT_INVALID'].includes(error.code)
