import { noteMost } from '@hufu/contract/feedback-rules'
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import { useAboveKeyboard } from '../../../lib/use-above-keyboard.ts'
import { Button } from '../../../ui/button.tsx'
import { readDraft, saveText } from '../compose/drafts.ts'
import { useAutoRows } from '../compose/use-auto-rows.ts'
import { useDeskText } from './desk.text.ts'
import { useAddNote, useNoteDraft } from './notes.api.ts'

const rows = { least: 1, most: 8 }

/** Where a note is written. What couldn't be added stays, also over a reload. */
export function NotesForm({ id }: { id: string }) {
  const text = useDeskText().notes
  const { written, write, note, submit, busy } = useNote(id)
  const form = useRef<HTMLFormElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  useAboveKeyboard(form)
  useAutoRows(area, written, rows.least, rows.most)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    submit()
    area.current?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
    event.preventDefault()
    submit()
  }
  const tooLong = note.length > noteMost
  return (
    <form ref={form} className="notes-form" onSubmit={onSubmit}>
      <textarea
        ref={area}
        rows={rows.least}
        aria-label={text.field}
        aria-invalid={tooLong}
        placeholder={text.placeholder}
        value={written}
        onChange={({ target }) => write(target.value)}
        onKeyDown={onKeyDown}
      />
      <div className="notes-foot">
        <span className={tooLong ? 'notes-said bad' : 'notes-said'}>
          {note.length > noteMost * 0.9 ? text.counted(note.length) : <span className="keys">{text.keys}</span>}
        </span>
        <Button type="submit" kind="quiet" busy={busy} disabled={tooLong}>
          {text.add}
        </Button>
      </div>
    </form>
  )
}

function useNote(id: string) {
  const draft = useNoteDraft(id)
  const [written, setWritten] = useState(() => readDraft(draft).text)
  const { mutate, isPending } = useAddNote(id, draft)
  const note = written.trim()
  const write = (value: string) => {
    setWritten(value)
    saveText(draft, value)
  }
  const submit = () => {
    if (note === '' || note.length > noteMost || isPending) return
    mutate(note, { onSuccess: () => setWritten(readDraft(draft).text) })
  }
  return { written, write, note, submit, busy: isPending }
}
