import { ChevronLeft, X } from 'lucide-react'
import { type MouseEvent, type ReactNode, type SyntheticEvent, useId, useLayoutEffect, useRef } from 'react'
import { IconButton } from '../../../ui/button.tsx'
import { useDeskText } from './desk.text.ts'

interface Props {
  title: string
  /** What it stands above on wide screens, so that the conversation stays in sight. */
  anchor: Element | null | undefined
  /** One step back, before it is closed. */
  back: (() => void) | undefined
  onClose: () => void
  children: ReactNode
}

/** The browser's own modal: above the reply box on wide screens, a sheet from below on phones. */
export function RepliesSheet({ title, anchor, back, onClose, children }: Props) {
  const text = useDeskText().replies
  const heading = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const shown = dialog.current
    const place = () => shown && anchor && stand(shown, anchor)
    place()
    shown?.showModal()
    window.addEventListener('resize', place)
    return () => {
      window.removeEventListener('resize', place)
      shown?.close()
    }
  }, [anchor])
  const onCancel = (event: SyntheticEvent) => {
    if (!back) return
    event.preventDefault()
    back()
  }
  const closeOutside = ({ target }: MouseEvent) => target === dialog.current && onClose()
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard closes it with Esc, which the browser handles
    <dialog
      ref={dialog}
      className="replies"
      aria-labelledby={heading}
      onCancel={onCancel}
      onClose={onClose}
      onClick={closeOutside}
    >
      <div className="replies-body">
        <div className="replies-head">
          {back && (
            <IconButton label={text.back} onClick={back}>
              <ChevronLeft />
            </IconButton>
          )}
          <h2 id={heading}>{title}</h2>
          <IconButton label={text.close} onClick={onClose}>
            <X />
          </IconButton>
        </div>
        {children}
      </div>
    </dialog>
  )
}

/** Phones don't look at these. */
function stand(dialog: HTMLElement, anchor: Element) {
  const { left, top, width } = anchor.getBoundingClientRect()
  dialog.style.setProperty('--left', `${left}px`)
  dialog.style.setProperty('--width', `${width}px`)
  dialog.style.setProperty('--bottom', `${window.innerHeight - top}px`)
}
