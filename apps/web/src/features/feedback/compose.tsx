import { messageMost } from '@hufu/contract/feedback-rules'
import { type FormEvent, type KeyboardEvent, useId, useRef, useState } from 'react'
import { useFeedbackText } from '../../lib/feedback-text.ts'
import { useAboveKeyboard } from '../../lib/use-above-keyboard.ts'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toast.tsx'
import { acknowledge, keyOf, readDraft, saveText } from './drafts.ts'
import { useMove } from './feedback.api.ts'
import { useGrown } from './use-grown.ts'

const mostRows = 20

export interface Message {
  message: string
  key: string
}

interface Props {
  /** Under which name what is written survives a reload. */
  draft: string
  label: string
  placeholder: string
  rows: number
  /** Nothing may be sent, and why. */
  refused?: string | undefined
  send: (message: Message) => Promise<{ id: string }>
  onSent?: (id: string) => void
}

/** Where a message is written. Blank ones aren't sent, and what couldn't be sent stays. */
export function Compose({ draft, label, placeholder, rows, refused, send, onSent }: Props) {
  const text = useFeedbackText()
  const { written, write, message, submit, busy } = useMessage(draft, send, onSent)
  const form = useRef<HTMLFormElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const why = useId()
  useAboveKeyboard(form)
  useGrown(area, written, rows, mostRows)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    submit()
    area.current?.focus()
  }
  const tooLong = message.length > messageMost
  return (
    <form ref={form} className="compose" onSubmit={onSubmit}>
      <textarea
        ref={area}
        rows={rows}
        aria-label={label}
        aria-invalid={tooLong}
        aria-describedby={why}
        placeholder={placeholder}
        disabled={refused !== undefined}
        value={written}
        onChange={(event) => write(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="compose-foot">
        <span className={tooLong ? 'note bad' : 'note'} id={why}>
          {refused ?? text.counted(message.length)}
          {refused === undefined && <span className="keys">{text.sendHint}</span>}
        </span>
        <Button
          type="submit"
          kind={rows > 3 ? 'main' : 'soft'}
          busy={busy}
          disabled={refused !== undefined || tooLong}
          title={refused}
        >
          {text.send}
        </Button>
      </div>
    </form>
  )
}

function useMessage(draft: string, send: Props['send'], onSent: Props['onSent']) {
  const text = useFeedbackText()
  const [written, setWritten] = useState(() => readDraft(draft).text)
  const { mutate, isPending } = useMove(async (input: Message) => {
    const sent = await send(input)
    acknowledge(draft, input.message)
    return sent
  })
  const message = written.trim()
  const write = (value: string) => {
    setWritten(value)
    saveText(draft, value)
  }
  const submit = () => {
    if (message === '' || message.length > messageMost || isPending) return
    const onSuccess = ({ id }: { id: string }) => {
      showToast('good', text.sent)
      setWritten(readDraft(draft).text)
      onSent?.(id)
    }
    mutate({ message, key: keyOf(draft, message) }, { onSuccess })
  }
  return { written, write, message, submit, busy: isPending }
}
