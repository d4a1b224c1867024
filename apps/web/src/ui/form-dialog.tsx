import './form-dialog.css'
import { type ReactNode, useRef } from 'react'
import { Button } from './button.tsx'
import { useDialogText } from './dialog.text.ts'
import { Modal } from './dialog.tsx'
import { ErrorLine } from './fields/field.tsx'

interface Props {
  title: string
  lead: string
  go: string
  danger?: boolean
  /** Something is missing still. */
  waiting?: boolean
  busy: boolean
  error: string | undefined
  onGo: () => void
  onCancel: () => void
  children?: ReactNode
}

/** A dialog with fields to fill in. */
export function FormDialog({ title, lead, go, danger, waiting = false, busy, error, onGo, onCancel, children }: Props) {
  const cancelWords = useDialogText().cancel
  const form = useRef<HTMLFormElement>(null)
  return (
    <Modal title={title} first={form} onCancel={onCancel}>
      <p>{lead}</p>
      <form
        ref={form}
        tabIndex={-1}
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault()
          if (!busy && !waiting) onGo()
        }}
      >
        {children}
        <ErrorLine message={error} />
        <div className="dialog-acts">
          <Button kind="quiet" onClick={onCancel}>
            {cancelWords}
          </Button>
          <Button type="submit" kind={danger ? 'danger-main' : 'main'} busy={busy} disabled={waiting}>
            {go}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
