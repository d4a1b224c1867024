import '../../../ui/fields/field.css'
import type { QuickReply } from '@hufu/contract/feedback-desk'
import { replyTextMost, replyTitleMost } from '@hufu/contract/feedback-rules'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { ErrorLine, Field } from '../../../ui/fields/field.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useDeskText } from './desk.text.ts'
import { newReplyKey, useSaveReply } from './replies.api.ts'

interface Props {
  /** One that is there, or what a new one begins with. */
  reply: Partial<QuickReply>
  onDone: () => void
}

/** A new answer to keep ready, or a change of one. */
export function RepliesForm({ reply, onDone }: Props) {
  const text = useDeskText().replies
  const [title, setTitle] = useState(reply.title ?? '')
  const [words, setWords] = useState(reply.text ?? '')
  const [key] = useState(newReplyKey)
  const wrong = useWrong(title.trim(), words.trim())
  const { mutate, isPending, error } = useSaveReply()
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (wrong.show() || isPending) return
    const onSuccess = () => {
      showToast('good', text.saved)
      onDone()
    }
    mutate({ ...reply, title: title.trim(), text: words.trim(), key }, { onSuccess })
  }
  return (
    <form className="replies-form" onSubmit={onSubmit} noValidate>
      <div className="replies-fields">
        <Field label={text.titleField} error={wrong.title}>
          {(control) => (
            <div className="box">
              <input
                {...control}
                ref={first}
                placeholder={text.titlePlaceholder}
                maxLength={replyTitleMost}
                value={title}
                onChange={({ target }) => setTitle(target.value)}
              />
            </div>
          )}
        </Field>
        <Field label={text.textField} error={wrong.words} aside={<Counted length={words.trim().length} />}>
          {(control) => (
            <textarea {...control} rows={5} value={words} onChange={({ target }) => setWords(target.value)} />
          )}
        </Field>
        <ErrorLine message={error?.message} />
      </div>
      <div className="replies-foot">
        <Button kind="quiet" onClick={onDone}>
          {text.cancel}
        </Button>
        <Button type="submit" busy={isPending}>
          {text.save}
        </Button>
      </div>
    </form>
  )
}

function Counted({ length }: { length: number }) {
  return <span className="replies-counted">{useDeskText().replies.counted(length)}</span>
}

/** What is wrong is said once saving was tried, and no longer than it is. */
function useWrong(title: string, words: string) {
  const text = useDeskText().replies
  const [shown, setShown] = useState(false)
  const wrong = {
    title: title === '' ? text.titleBlank : title.length > replyTitleMost ? text.titleLong : undefined,
    words: words === '' ? text.textBlank : words.length > replyTextMost ? text.textLong : undefined,
  }
  const show = () => {
    setShown(true)
    return wrong.title !== undefined || wrong.words !== undefined
  }
  return { title: shown ? wrong.title : undefined, words: shown ? wrong.words : undefined, show }
}
