import './dialog.css'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { useText } from '../lib/text.ts'
import { Button } from './button.tsx'

interface Props {
  title: string
  children: ReactNode
  /** The words on the button that goes on. */
  go: string
  onGo: () => void
  onCancel: () => void
}

/** Asks before going on; drawn only while it asks. The browser's own modal, so Esc cancels and focus returns. */
export function Dialog({ title, children, go, onGo, onCancel }: Props) {
  const text = useText().dialog
  const heading = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const main = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    main.current?.focus()
    return () => shown?.close()
  }, [])
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={heading} onCancel={onCancel}>
      <h2 id={heading}>{title}</h2>
      <p>{children}</p>
      <div className="dialog-acts">
        <Button kind="quiet" onClick={onCancel}>
          {text.cancel}
        </Button>
        <Button ref={main} onClick={onGo}>
          {go}
        </Button>
      </div>
    </dialog>
  )
}
