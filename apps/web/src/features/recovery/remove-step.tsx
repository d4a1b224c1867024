import { LogOut, ShieldCheck, ShieldOff, Smartphone } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { ErrorLine } from '../../ui/fields/field.tsx'
import { AgainButton } from './back-button.tsx'
import { Points } from './points.tsx'
import { finishFactorRecovery } from './recovery.api.ts'
import { useRecoveryText } from './recovery.text.ts'
import { StepHead } from './step-head.tsx'
import { useAttempt } from './use-attempt.ts'

interface Props {
  ticket: string
  onDone: () => void
  onOver: (word: string) => void
  onAgain: () => void
}

/** The wait is over: the lost factors are removed. */
export function RemoveStep({ ticket, onDone, onOver, onAgain }: Props) {
  const text = useRecoveryText().remove
  const { busy, failure, refuse, attempt } = useAttempt<'remove'>(onOver)
  const remove = () =>
    attempt(
      async () => {
        await finishFactorRecovery({ ticket })
        onDone()
      },
      (error) => refuse(error, 'remove'),
    )
  return (
    <>
      <StepHead step={5} title={text.title} lead={text.lead} />
      <Points
        points={[
          { icon: ShieldOff, name: text.what },
          { icon: Smartphone, name: text.signIn },
          { icon: LogOut, name: text.devices },
          { icon: ShieldCheck, name: text.again },
        ]}
      />
      <ErrorLine message={failure?.message} />
      <Button wide busy={busy} onClick={remove}>
        {text.go}
      </Button>
      <div className="recover-foot">
        <AgainButton onAgain={onAgain} />
      </div>
    </>
  )
}
