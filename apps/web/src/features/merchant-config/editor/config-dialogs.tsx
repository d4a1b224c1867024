import { type ReactNode, useRef } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Modal } from '../../../ui/dialog.tsx'
import { type OpenedConfig, textOf } from '../config.api.ts'
import { useConfigText } from '../config.text.ts'
import { Changes } from '../history/config-changes.tsx'
import type { Draft } from './config-draft.ts'

interface ReviewProps {
  title: string
  hint?: string
  before: string
  after: string
  /** The words on the button that goes on; without, there is only something to read. */
  go?: string
  busy?: boolean
  onGo?: () => void
  onCancel: () => void
}

/** Shows what differs, and goes on where there is something to go on with. */
export function ReviewDialog({ title, hint, before, after, go, busy = false, onGo, onCancel }: ReviewProps) {
  const text = useConfigText()
  const first = useRef<HTMLButtonElement>(null)
  return (
    <Modal title={title} first={first} onCancel={onCancel}>
      {hint && <p>{hint}</p>}
      <Changes label={text.differences} before={before} after={after} />
      <div className="dialog-acts">
        <Button ref={go ? undefined : first} kind="quiet" onClick={onCancel}>
          {go ? text.cancel : text.close}
        </Button>
        {go && (
          <Button ref={first} busy={busy} onClick={onGo}>
            {go}
          </Button>
        )}
      </div>
    </Modal>
  )
}

interface ConflictProps {
  draft: Draft
  newest: OpenedConfig
  onGoOn: () => void
  onTakeOver: () => void
  onCancel: () => void
}

/** Another operator saved in between: shows both sets of changes, and how to continue without losing either. */
export function ConflictDialog({ draft, newest, onGoOn, onTakeOver, onCancel }: ConflictProps) {
  const text = useConfigText()
  const first = useRef<HTMLButtonElement>(null)
  return (
    <Modal title={text.conflictTitle} first={first} onCancel={onCancel}>
      <p>{text.conflictHint(newest.by ?? text.server, newest.version)}</p>
      <Side title={text.theirs}>
        <Changes label={text.theirs} before={draft.before} after={textOf(newest.config)} />
      </Side>
      <Side title={text.mine}>
        <Changes label={text.mine} before={draft.before} after={draft.text} />
      </Side>
      <div className="dialog-acts">
        <Button kind="quiet" onClick={onTakeOver}>
          {text.takeOver}
        </Button>
        <Button ref={first} onClick={onGoOn}>
          {text.goOn}
        </Button>
      </div>
    </Modal>
  )
}

function Side({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <h3>{title}</h3>
      {children}
    </>
  )
}
