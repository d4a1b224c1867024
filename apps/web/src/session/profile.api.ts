import type { UserInfo } from '@hufu/contract/profile'
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useDeferredValue, useEffect } from 'react'
import { CallError, call, onCallFailure } from '../lib/call/call.ts'
import { forgetDrafts } from './forget-drafts.ts'
import { forgetCodes } from './sent-codes.ts'

/** Who is signed in here: a user, or none; `removed` when the session was ended from elsewhere. */
type Visitor = { user: UserInfo } | { user?: undefined; removed: boolean }

const signedOut: Visitor = { removed: false }
const signedOutCodes = ['NOT_LOGGED_IN', 'SESSION_REMOVED']

const signedOutBy = (error: unknown) => error instanceof CallError && signedOutCodes.includes(error.code)

/** The server marks a browser that has a session; without the mark the request is skipped. */
const mayHaveSession = () => document.cookie.includes('hufu-in=1')

async function fetchVisitor(): Promise<Visitor> {
  if (!mayHaveSession()) return signedOut
  const visitor = await askWho()
  // A change of credentials renews the session secret: a call in flight with the former one is retried once.
  return visitor.user || visitor.removed || !mayHaveSession() ? visitor : await askWho()
}

async function askWho(): Promise<Visitor> {
  try {
    const user = await call('/api/user/info')
    forgetDrafts(user.id)
    return { user }
  } catch (error) {
    if (!signedOutBy(error)) throw error
    return { removed: (error as CallError).code === 'SESSION_REMOVED' }
  }
}

export const visitorQuery = queryOptions({ queryKey: ['visitor'], queryFn: fetchVisitor })

export function useUser() {
  const { data: newest, failureReason, refetch } = useQuery(visitorQuery)
  // Deferred, so that it changes in the same render as the page that belongs to it.
  const data = useDeferredValue(newest)
  return {
    user: data?.user,
    signedOut: data !== undefined && !data.user,
    removed: data !== undefined && !data.user && data.removed,
    /** Not known yet, without an error so far. */
    waiting: !data && !failureReason,
    /** Why it isn't known yet; it is retried automatically. */
    trouble: data ? undefined : failureReason?.message,
    askAgain: () => void refetch(),
  }
}

/** Removes everything cached for the user, and their drafts. */
function forget(client: QueryClient, visitor: Visitor) {
  client.removeQueries({ predicate: ({ queryKey: [first] }) => first !== visitorQuery.queryKey[0] })
  forgetCodes()
  forgetDrafts()
  client.setQueryData(visitorQuery.queryKey, visitor)
}

export const forgetUser = (client: QueryClient) => forget(client, signedOut)

/** A session that was ended elsewhere fails at the next call: the page shows that in place. */
export function useSessionEnd() {
  const client = useQueryClient()
  useEffect(() => {
    return onCallFailure((failure) => {
      if (!client.getQueryData(visitorQuery.queryKey)?.user) return
      if (failure.code === 'SESSION_REMOVED') forget(client, { removed: true })
      else if (signedOutBy(failure)) void client.refetchQueries(visitorQuery, { cancelRefetch: false })
    })
  }, [client])
}

/** Ends the session; one that has already ended counts as success. */
export async function logOut() {
  await call('/api/logout').catch((error) => {
    if (!signedOutBy(error)) throw error
  })
}

/** Applies a known change at once; a response still in flight would be older. */
export async function adopt(client: QueryClient, change: (user: UserInfo) => Partial<UserInfo>) {
  const { queryKey } = visitorQuery
  await client.cancelQueries({ queryKey })
  client.setQueryData(queryKey, (known) => (known?.user ? { user: { ...known.user, ...change(known.user) } } : known))
}
