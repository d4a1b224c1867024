import type { RecoveryPurpose, RecoveryStanding } from '@hufu/contract/recovery'
import { useQueryClient } from '@tanstack/react-query'
import { BellRing, Hourglass, LogIn } from 'lucide-react'
import { visitorQuery } from '../../session/profile.api.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorLine } from '../../ui/fields/field.tsx'
import { AgainButton } from './back-button.tsx'
import { LeaveLink } from './leave-link.tsx'
import { NewNumberWarning } from './new-number-warning.tsx'
import { Points } from './points.tsx'
import { startRecovery } from './recovery.api.ts'
import { useRecoveryText } from './recovery.text.ts'
import { StepHead } from './step-head.tsx'
import { useAttempt } from './use-attempt.ts'

interface Props {
  ticket: string
  purpose: RecoveryPurpose
  onStarted: (standing: RecoveryStanding) => void
  onOver: (word: string) => void
  onAgain: () => void
}

/** Both proofs are given: the wait begins only when the user asks for it. */
export function BeginStep({ ticket, purpose, onStarted, onOver, onAgain }: Props) {
  const text = useRecoveryText().begin
  const client = useQueryClient()
  const { busy, failure, refuse, attempt } = useAttempt<'start'>(onOver)
  const start = () =>
    attempt(
      async () => {
        onStarted(await startRecovery({ ticket, purpose }))
        // It may be the account that is signed in here.
        void client.invalidateQueries({ queryKey: visitorQuery.queryKey })
      },
      (error) => refuse(error, 'start'),
    )
  return (
    <>
      <StepHead step={4} title={text.title} lead={text.lead} />
      <Points
        points={[
          { icon: Hourglass, name: text.wait[purpose] },
          { icon: BellRing, name: text.notice },
          { icon: LogIn, name: text.meanwhile },
        ]}
      />
      {purpose === 'mobile' && <NewNumberWarning />}
      <ErrorLine message={failure?.message} />
      <Button wide busy={busy} onClick={start}>
        {text.go}
      </Button>
      <div className="recover-foot">
        <AgainButton onAgain={onAgain} />
        <LeaveLink />
      </div>
    </>
  )
}
