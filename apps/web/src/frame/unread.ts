import { skipToken, useQuery } from '@tanstack/react-query'
import { useUser } from '../session/profile.api.ts'
import type { LinkName } from './navigation.ts'

export const unreadKey = (userId: string | undefined) => ['feedback', userId, 'unread']

/** Unread counts by link; follow.ts fetches them, here they are only read. */
export function useUnread(): Partial<Record<LinkName, number | undefined>> {
  const { user } = useUser()
  const { data } = useQuery<{ user: number; merchant: number }>({ queryKey: unreadKey(user?.id), queryFn: skipToken })
  return { feedback: data?.user, merchant: data?.merchant }
}
