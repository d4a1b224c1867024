import type { UserInfo } from '@hufu/contract/profile'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { CallError, call } from '../../lib/call.ts'

/** Who is signed in here: a person, nobody, or nobody any more because the session was ended from elsewhere. */
type Visitor = { user: UserInfo } | { user?: undefined; removed: boolean }

const nobody: Visitor = { removed: false }
const signedOutCodes = ['NOT_LOGGED_IN', 'SESSION_REMOVED']

const signedOutBy = (error: unknown) => error instanceof CallError && signedOutCodes.includes(error.code)

/** The server marks a browser with a session; one without the mark is spared the question and its refusal. */
const mayHaveSession = () => document.cookie.includes('hufu-in=1')

async function fetchVisitor(): Promise<Visitor> {
  if (!mayHaveSession()) return nobody
  try {
    return { user: await call('/api/user/info') }
  } catch (error) {
    if (!signedOutBy(error)) throw error
    return { removed: (error as CallError).code === 'SESSION_REMOVED' }
  }
}

export const visitorQuery = queryOptions({ queryKey: ['visitor'], queryFn: fetchVisitor })

export function useUser() {
  const { data: newest, failureReason, refetch } = useQuery(visitorQuery)
  // Deferred, so that it changes together with the change of page that goes with it, and no frame shows one alone.
  const data = useDeferredValue(newest)
  return {
    user: data?.user,
    signedOut: data !== undefined && !data.user,
    removed: data !== undefined && !data.user && data.removed,
    /** Not known yet, and no trouble so far. */
    waiting: !data && !failureReason,
    /** Why it isn't known yet; it is asked again by itself. */
    trouble: data ? undefined : failureReason?.message,
    askAgain: () => void refetch(),
  }
}

/** Ends the session; the page is left in the same moment in which its person is forgotten. */
export function useLogout(leave: () => void, onError: (error: Error) => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async () => {
      await call('/api/logout').catch((error) => {
        if (!signedOutBy(error)) throw error
      })
      await client.cancelQueries()
    },
    onSuccess: () => {
      leave()
      client.removeQueries({ predicate: ({ queryKey: [first] }) => first !== visitorQuery.queryKey[0] })
      client.setQueryData(visitorQuery.queryKey, nobody)
    },
    onError,
  })
}
