import type { FeedbackNote } from '@hufu/contract/feedback-desk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../../lib/call/call.ts'
import { isRetryable } from '../../../lib/call/is-retryable.ts'
import { useUser } from '../../../session/profile.api.ts'
import { showToast } from '../../../ui/toast.tsx'
import { acknowledge, draftName, keyOf } from '../compose/drafts.ts'
import { deskKey } from '../feedback.api.ts'

const notesKey = (userId: string, id: string) => [...deskKey(userId, id), 'notes']

export function useNotes(id: string) {
  const userId = useUser().user?.id ?? ''
  const { data, failureReason, refetch } = useQuery({
    queryKey: notesKey(userId, id),
    queryFn: () => call('/api/merchant/feedback/notes', { id }),
    staleTime: 0,
    retry: isRetryable,
  })
  return { notes: data, trouble: data ? undefined : failureReason?.message, askAgain: () => void refetch() }
}

export const useNoteDraft = (id: string) => draftName(useUser().user?.id ?? '', 'note', id)

/** A key of the drafts written the way the server wants it: as a random UUID. */
export const uuidOf = (key: string) =>
  `${key.slice(0, 8)}-${key.slice(8, 12)}-4${key.slice(13, 16)}-a${key.slice(17, 20)}-${key.slice(20, 32)}`

/** What was added or removed is shown at once, and what colleagues did meanwhile with it. */
function useNotesMove<Input, Output>(
  id: string,
  move: (input: Input) => Promise<Output>,
  changed: (notes: FeedbackNote[], output: Output, input: Input) => FeedbackNote[],
) {
  const client = useQueryClient()
  const queryKey = notesKey(useUser().user?.id ?? '', id)
  return useMutation({
    mutationFn: move,
    onSuccess: (output, input) =>
      client.setQueryData<FeedbackNote[]>(queryKey, (known) => known && changed(known, output, input)),
    onError: (error) => showToast('bad', error.message),
    onSettled: () => void client.invalidateQueries({ queryKey }),
  })
}

/** The same words tried again are the same note. */
export function useAddNote(id: string, draft: string) {
  const add = async (text: string) => {
    const said = { message: text, pictures: [] }
    const note = await call('/api/merchant/feedback/addNote', { id, text, key: uuidOf(keyOf(draft, said)) })
    acknowledge(draft, said)
    return note
  }
  return useNotesMove(id, add, (notes, note) => [...notes.filter((each) => each.id !== note.id), note])
}

export function useRemoveNote(id: string) {
  const remove = (note: string) => call('/api/merchant/feedback/removeNote', { id, note })
  return useNotesMove(id, remove, (notes, _, note) => notes.filter((each) => each.id !== note))
}
