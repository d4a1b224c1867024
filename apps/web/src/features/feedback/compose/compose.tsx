import { messageMost } from '@hufu/contract/feedback-rules'
import {
  type ClipboardEvent,
  type FormEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useId,
  useRef,
} from 'react'
import { useDevice } from '../../../lib/device/device.ts'
import { useAboveKeyboard } from '../../../lib/use-above-keyboard.ts'
import { Button } from '../../../ui/button.tsx'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import type { Side } from '../conversation/talk.ts'
import { useFeedbackText } from '../feedback.text.ts'
import { ChoosePictures } from '../pictures/pictures-choose.tsx'
import { pastedFiles, useDropping } from '../pictures/pictures-intake.ts'
import { addFiles } from '../pictures/pictures-sending.ts'
import { PictureTray } from '../pictures/pictures-tray.tsx'
import { usePictures } from '../pictures/pictures-use.ts'
import { type Message, useMessage } from './compose-message.ts'
import { useAutoRows } from './use-auto-rows.ts'

const mostRows = 20
/** On phones the pictures need the room. */
const besidePictures = 4

/** Where it is written, for whatever helps to write. */
export interface Written {
  written: string
  write: (text: string) => void
  area: RefObject<HTMLTextAreaElement | null>
}

interface Props {
  side: Side
  /** Under which name what is written survives a reload. */
  draft: string
  label: string
  placeholder: string
  rows: number
  /** Nothing may be sent, and why. */
  refused?: string | undefined
  send: (message: Message) => Promise<{ id: string }>
  onSent?: (id: string) => void
  /** Whatever helps to write, beside the button that sends. */
  aids?: (box: Written) => ReactNode
}

/** Where a message is written and pictures are added. Blank ones aren't sent, and what couldn't be sent stays. */
export function Compose({ side, draft, label, placeholder, rows, refused, send, onSent, aids }: Props) {
  const text = useFeedbackText()
  const { pictures, slots, refusal } = usePictures(draft, side)
  const { written, write, message, submit, busy, ...sending } = useMessage({ draft, pictures, send, onSent })
  const add = (files: File[]) => refused === undefined && files.length > 0 && addFiles(pictures, files)
  const { dropping, onto } = useDropping(add)
  const form = useRef<HTMLFormElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const why = useId()
  useAboveKeyboard(form)
  const isPhone = useDevice(({ width }) => width < 768)
  const leastRows = isPhone && slots.length > 0 ? Math.min(rows, besidePictures) : rows
  useAutoRows(area, written, leastRows, mostRows)
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
  const onPaste = (event: ClipboardEvent) => {
    const files = pastedFiles(event)
    if (files.length === 0) return
    event.preventDefault()
    add(files)
  }
  const tooLong = message.length > messageMost
  return (
    <form ref={form} className={dropping ? 'compose dropping' : 'compose'} onSubmit={onSubmit} {...onto}>
      <textarea
        ref={area}
        rows={leastRows}
        aria-label={label}
        aria-invalid={tooLong}
        aria-describedby={why}
        placeholder={placeholder}
        disabled={refused !== undefined}
        value={written}
        onChange={(event) => write(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      <PictureTray pictures={pictures} slots={slots} area={area} />
      <ErrorLine message={sending.refusal ?? refusal ?? slots.find(({ error }) => error)?.error} />
      <div className="compose-foot">
        <ChoosePictures refused={refused} onFiles={add} />
        <span className={tooLong ? 'note bad' : 'note'} id={why}>
          {refused ?? text.counted(message.length)}
          {refused === undefined && <span className="keys">{text.sendHint}</span>}
        </span>
        {aids?.({ written, write, area })}
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
      {dropping && <p className="drop-here">{text.pictures.drop}</p>}
    </form>
  )
}
