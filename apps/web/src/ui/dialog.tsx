import './dialog.css'
import { type ReactNode, type RefObject, useId, useLayoutEffect, useRef } from 'react'
import { Button } from './button.tsx'
import { useDialogText } from './dialog.text.ts'
import { ErrorLine } from './fields/field.tsx'

interface ModalProps {
  title: string
  children: ReactNode
  /** What has the focus at first. */
  first: RefObject<HTMLElement | null>
  /** Further classes of the dialog. */
  look?: string
  onCancel: () => void
}

/** Drawn only while it is open. The browser's own modal, so Esc cancels and focus returns. */
export function Modal({ title, children, first, look = '', onCancel }: ModalProps) {
  const heading = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  // Before it is removed: only a dialog in the document returns the focus when it closes.
  useLayoutEffect(() => {
    const shown = dialog.current
    shown?.showModal()
    first.current?.focus()
    // A long one begins with its title, wherever the focus stands.
    if (shown) shown.scrollTop = 0
    return () => shown?.close()
  }, [first])
  return (
    <dialog ref={dialog} className={`dialog ${look}`} aria-labelledby={heading} onCancel={onCancel}>
      <h2 id={heading}>{title}</h2>
      {children}
    </dialog>
  )
}

interface Props {
  title: string
  children: ReactNode
  /** The label of the confirm button. */
  go: string
  /** Can't be undone, so cancel is the default. */
  danger?: boolean
  busy?: boolean
  error?: string | undefined
  onGo: () => void
  onCancel: () => void
}

/** Asks for confirmation. */
export function Dialog({ title, children, go, danger = false, busy = false, error, onGo, onCancel }: Props) {
  const text = useDialogText()
  const cancel = useRef<HTMLButtonElement>(null)
  const main = useRef<HTMLButtonElement>(null)
  return (
    <Modal title={title} first={danger ? cancel : main} onCancel={onCancel}>
      <p>{children}</p>
      {error && (
        <div className="dialog-error">
          <ErrorLine message={error} />
        </div>
      )}
      <div className="dialog-acts">
        <Button ref={cancel} kind="quiet" onClick={onCancel}>
          {text.cancel}
        </Button>
        <Button ref={main} kind={danger ? 'danger-main' : 'main'} busy={busy} onClick={onGo}>
          {go}
        </Button>
      </div>
    </Modal>
  )
}
