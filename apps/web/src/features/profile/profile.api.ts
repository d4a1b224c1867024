import type { UserInfo } from '@hufu/contract/profile'
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { CallError, call } from '../../lib/call.ts'

/** Who is signed in here: a person, nobody, or nobody any more because the session was ended from elsewhere. */
type Visitor = { user: UserInfo } | { user?: undefined; removed: boolean }

const nobody: Visitor = { removed: false }
const signedOutCodes = ['NOT_LOGGED_IN', 'SESSION_REMOVED']

const signedOutBy = (error: unknown) => error instanceof CallError && signedOutCodes.includes(error.code)

async function fetchVisitor(): Promise<Visitor> {
  try {
    return { user: await call('/api/user/info') }
  } catch (error) {
    if (!signedOutBy(error)) throw error
    return { removed: (error as CallError).code === 'SESSION_REMOVED' }
  }
}

export const visitorQuery = queryOptions({ queryKey: ['visitor'], queryFn: fetchVisitor })

export function useUser() {
  const { data, failureReason, refetch } = useQuery(visitorQuery)
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

/** Whoever was here before: nothing of theirs is shown to the next person. */
export async function forgetVisitor(client: QueryClient) {
  await client.cancelQueries()
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== visitorQuery.queryKey[0] })
  client.setQueryData(visitorQuery.queryKey, nobody)
}

export function useLogout() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async () => {
      await call('/api/logout').catch((error) => {
        if (!signedOutBy(error)) throw error
      })
      await forgetVisitor(client)
    },
  })
}
