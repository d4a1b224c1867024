import type { QuickReply } from '@hufu/contract/feedback-desk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../lib/call/call.ts'
import { isRetryable } from '../../../lib/call/is-retryable.ts'
import { useUser } from '../../../session/profile.api.ts'
import { newKey } from '../compose/drafts.ts'
import { uuidOf } from './notes.api.ts'

const repliesKey = (userId: string) => ['replies', userId]

/** The answers kept ready; colleagues change them too, so each opening asks. */
export function useReplies() {
  const { data, failureReason, refetch } = useQuery({
    queryKey: repliesKey(useUser().user?.id ?? ''),
    queryFn: () => call('/api/merchant/replies/query'),
    staleTime: 0,
    retry: isRetryable,
  })
  return { replies: data, trouble: data ? undefined : failureReason?.message, askAgain: () => void refetch() }
}

/** Done only when the list was fetched again, so that it is never shown without the change. */
function useRepliesMove<Input>(move: (input: Input) => Promise<unknown>) {
  const client = useQueryClient()
  const queryKey = repliesKey(useUser().user?.id ?? '')
  return useMutation({ mutationFn: move, onSettled: () => client.invalidateQueries({ queryKey }) })
}

/** One for each form: what is saved again because no answer came is the same reply. */
export const newReplyKey = () => uuidOf(newKey())

interface Saving {
  id?: string
  title: string
  text: string
  key: string
}

/** Kept before, its answer lost, and written on since then: what is there is changed to that. */
async function save({ key, ...reply }: Saving): Promise<QuickReply> {
  const kept = await call('/api/merchant/replies/save', reply.id === undefined ? { ...reply, key } : reply)
  if (kept.title === reply.title && kept.text === reply.text) return kept
  return await call('/api/merchant/replies/save', { ...reply, id: kept.id })
}

export const useSaveReply = () => useRepliesMove(save)

export const useRemoveReply = () => useRepliesMove((id: string) => call('/api/merchant/replies/remove', { id }))
