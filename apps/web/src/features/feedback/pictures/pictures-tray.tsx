import './pictures.css'
import { feedbackPicturePath } from '@hufu/contract/feedback-rules'
import { RotateCw, X } from 'lucide-react'
import { type RefObject, useEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import { useFeedbackText } from '../feedback.text.ts'
import { loseSlot, removePicture, tryAgain } from './pictures-sending.ts'
import type { Pictures, Slot } from './pictures-slots.ts'

interface TrayProps {
  pictures: Pictures
  slots: Slot[]
  /** Where it is written. */
  area: RefObject<HTMLTextAreaElement | null>
}

/** The pictures that will go with what is being written, and how far they are. */
export function PictureTray({ pictures, slots, area }: TrayProps) {
  const text = useFeedbackText().pictures
  const list = useRef<HTMLUListElement>(null)
  const many = slots.length
  useEffect(() => {
    // The last one chosen is in view.
    if (list.current && many > 0) list.current.scrollLeft = list.current.scrollWidth
  }, [many])
  const remove = (key: number, at: number) => {
    flushSync(() => removePicture(pictures, key))
    // Keyboard focus moves on to the next one.
    const left = list.current?.querySelectorAll<HTMLElement>('.off') ?? []
    const next = left[Math.min(at, left.length - 1)] ?? area.current
    next?.focus()
  }
  if (many === 0) return null
  return (
    <ul ref={list} className="tray" aria-label={text.list}>
      {slots.map((slot, at) => (
        <Thumb
          key={slot.key}
          pictures={pictures}
          slot={slot}
          number={at + 1}
          of={many}
          onRemove={() => remove(slot.key, at)}
        />
      ))}
    </ul>
  )
}

interface Props {
  pictures: Pictures
  slot: Slot
  number: number
  of: number
  onRemove: () => void
}

function Thumb({ pictures, slot, number, of, onRemove }: Props) {
  const text = useFeedbackText().pictures
  const { key, picture, error } = slot
  const shown = slot.address ?? (picture && feedbackPicturePath(picture.id))
  const mayAgain = slot.chosen !== undefined
  return (
    <li className={error ? 'thumb failed' : 'thumb'}>
      {shown && <img src={shown} alt={text.one(number, of)} onError={() => slot.address ?? loseSlot(pictures, key)} />}
      {!error && !picture && <progress aria-label={text.uploading(number)} value={slot.part} />}
      {error && mayAgain && (
        <button
          type="button"
          className="again"
          aria-label={text.again(number)}
          title={error}
          onClick={() => tryAgain(pictures, key)}
        >
          <RotateCw />
          <span>{text.failed}</span>
        </button>
      )}
      <button type="button" className="off" aria-label={text.remove(number)} onClick={onRemove}>
        <X />
      </button>
    </li>
  )
}
