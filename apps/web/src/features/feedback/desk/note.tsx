import type { FeedbackNote } from '@hufu/contract/feedback-desk'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useNow } from '../../../lib/time/use-now.ts'
import { whenOf } from '../../../lib/time/when.ts'
import { useUser } from '../../../session/profile.api.ts'
import { IconButton } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useDeskText } from './desk.text.ts'
import { useRemoveNote } from './notes.api.ts'

interface Props {
  /** The conversation. */
  id: string
  note: FeedbackNote
  removable: boolean
}

/** What one operator noted; who wrote it can take it back. */
export function Note({ id, note, removable }: Props) {
  const text = useDeskText()
  const now = useNow()
  const { user } = useUser()
  const { author, time } = note
  return (
    <li className="note-item">
      <span className="note-top">
        <b>{author.name ?? text.noNickname}</b>
        <time dateTime={new Date(time).toISOString()}>{whenOf(time, now, text.when)}</time>
        {removable && author.id === user?.id && <Remove id={id} note={note} />}
      </span>
      <p>{note.text}</p>
    </li>
  )
}

function Remove({ id, note }: Pick<Props, 'id' | 'note'>) {
  const text = useDeskText().notes
  const [asking, setAsking] = useState(false)
  const { mutate, isPending } = useRemoveNote(id)
  const remove = () =>
    mutate(note.id, { onSuccess: () => showToast('good', text.removed), onSettled: () => setAsking(false) })
  return (
    <>
      <IconButton label={text.remove} onClick={() => setAsking(true)}>
        <Trash2 />
      </IconButton>
      {asking && (
        <Dialog
          danger
          title={text.removeTitle}
          go={text.removeGo}
          busy={isPending}
          onGo={remove}
          onCancel={() => setAsking(false)}
        >
          {text.removeMessage}
        </Dialog>
      )}
    </>
  )
}
