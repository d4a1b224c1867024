import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../lib/call/call.ts'

const historyKey = (userId: string) => ['security', userId] as const

interface Paging {
  top: number
  skip: number
}

/** One page of what happened to the own account. What is shown stays while the next one comes. */
export function historyQuery(userId: string, { top, skip }: Paging) {
  return queryOptions({
    queryKey: [...historyKey(userId), top, skip],
    queryFn: () => call('/api/user/security/list', { top, skip }),
    staleTime: 0,
    placeholderData: keepPreviousData,
  })
}

/** Reports a sign-in as not the user's own; history and devices are fetched again. */
export function useDisowning() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (session: { id: string }) => call('/api/user/security/disown', { id: session.id }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['security'] })
      void client.invalidateQueries({ queryKey: ['devices'] })
    },
  })
}

const alarms = ['login.disowned', 'recovery.start']

/** Whether the password was changed since the last reported intrusion; entries come newest first. */
async function isPasswordChanged(): Promise<boolean> {
  const { data } = await call('/api/user/security/list', { top: 100, skip: 0 })
  const newest = data.find(({ event }) => event === 'password.change' || alarms.includes(event))
  return newest?.event === 'password.change' && data.some(({ event }) => alarms.includes(event))
}

export const passwordChangedQuery = (userId: string) =>
  queryOptions({
    queryKey: [...historyKey(userId), 'password'],
    queryFn: isPasswordChanged,
    staleTime: 0,
  })

/** The sign-in behind a notice's link. Looking changes nothing: mail scanners open links. */
export const noticedQuery = (token: string) =>
  queryOptions({
    queryKey: ['noticed-sign-in', token],
    queryFn: () => call('/api/login/notice/read', { token }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

export const disownNoticed = (token: string) => call('/api/login/notice/disown', { token })
