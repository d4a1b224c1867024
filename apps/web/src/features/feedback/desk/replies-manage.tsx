import type { QuickReply } from '@hufu/contract/feedback-desk'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useDeskText } from './desk.text.ts'
import { useRemoveReply, useReplies } from './replies.api.ts'
import { NoReplies } from './replies-found.tsx'

/** The same answers, to change and to remove. */
export function RepliesManage({ onEdit }: { onEdit: (reply: Partial<QuickReply>) => void }) {
  const text = useDeskText().replies
  const { replies, trouble, askAgain } = useReplies()
  const [removing, setRemoving] = useState<QuickReply>()
  return (
    <>
      {replies?.length ? (
        <ul className="replies-list">
          {replies.map((reply) => (
            <li key={reply.id}>
              <span className="replies-words">
                <b>{reply.title}</b>
                <span>{reply.text}</span>
              </span>
              <IconButton label={text.change(reply.title)} onClick={() => onEdit(reply)}>
                <Pencil />
              </IconButton>
              <IconButton label={text.remove(reply.title)} onClick={() => setRemoving(reply)}>
                <Trash2 />
              </IconButton>
            </li>
          ))}
        </ul>
      ) : (
        <NoReplies replies={replies} trouble={trouble} askAgain={askAgain} />
      )}
      <div className="replies-foot">
        <Button kind="soft" onClick={() => onEdit({})}>
          <Plus />
          {text.add}
        </Button>
      </div>
      {removing && <Remove reply={removing} onDone={() => setRemoving(undefined)} />}
    </>
  )
}

/** All operators lose it, so it asks first. */
function Remove({ reply, onDone }: { reply: QuickReply; onDone: () => void }) {
  const text = useDeskText().replies
  const { mutate, isPending, error } = useRemoveReply()
  const remove = () =>
    mutate(reply.id, {
      onSuccess: () => {
        showToast('good', text.removed)
        onDone()
      },
    })
  return (
    <Dialog
      danger
      title={text.remove(reply.title)}
      go={text.removeGo}
      busy={isPending}
      error={error?.message}
      onGo={remove}
      onCancel={onDone}
    >
      {text.removeMessage}
    </Dialog>
  )
}
