import { NewPasswordForm } from '../../identity/new-password/new-password-form.tsx'
import { messageFor } from '../../lib/call/failure.ts'
import { undoRecovery } from './recovery.api.ts'
import { useRecoveryText } from './recovery.text.ts'
import { useAttempt } from './use-attempt.ts'

interface Props {
  ticket: string
  onDone: () => void
  onOver: (word: string) => void
}

/** The password of before a recent change was right: the change is undone, and a new password set. */
export function UndoStep({ ticket, onDone, onOver }: Props) {
  const text = useRecoveryText().undo
  const { busy, failure, refuse, attempt } = useAttempt<'password'>(onOver)
  const restore = (newPassword: string) =>
    attempt(
      async () => {
        await undoRecovery({ ticket, newPassword })
        onDone()
      },
      (error) => refuse(error, 'password'),
    )
  return (
    <>
      <div className="lead">
        <h1>{text.title}</h1>
        <p>{text.lead}</p>
      </div>
      <NewPasswordForm
        label={text.label}
        placeholder={text.placeholder}
        repeatLabel={text.repeat}
        repeatPlaceholder={text.repeatPlaceholder}
        go={text.go}
        busy={busy}
        error={messageFor(failure, 'password')}
        onSubmit={restore}
      />
    </>
  )
}
