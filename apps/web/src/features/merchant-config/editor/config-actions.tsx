import { useState } from 'react'
import { AllowedButton } from '../../../ui/allowed-button.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { useConfigText } from '../config.text.ts'

/** How many places differ from what is in force. */
export function UnsavedBadge({ count }: { count: number }) {
  const text = useConfigText()
  return (
    <span className={count > 0 ? 'badge warn' : undefined} role="status">
      {count > 0 && text.unsaved(count)}
    </span>
  )
}

interface Props {
  dirty: boolean
  /** Why nothing may be saved. */
  refused: string | undefined
  busy: boolean
  onSave: () => void
  onDiscard: () => void
}

export function ConfigActions({ dirty, refused, busy, onSave, onDiscard }: Props) {
  const text = useConfigText()
  const [asking, setAsking] = useState(false)
  const discard = () => {
    setAsking(false)
    onDiscard()
  }
  return (
    <>
      {dirty && (
        <Button kind="quiet" onClick={() => setAsking(true)}>
          {text.discard}
        </Button>
      )}
      <AllowedButton refused={refused} busy={busy} onClick={onSave}>
        {text.save}
      </AllowedButton>
      {asking && (
        <Dialog title={text.discardTitle} go={text.discard} danger onGo={discard} onCancel={() => setAsking(false)}>
          {text.discardMessage}
        </Dialog>
      )}
    </>
  )
}
