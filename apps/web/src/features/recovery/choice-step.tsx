import type { RecoveryPurpose } from '@hufu/contract/recovery'
import { Choice } from '../../ui/choice.tsx'
import { AgainButton } from './back-button.tsx'
import { LeaveLink } from './leave-link.tsx'
import { useRecoveryText } from './recovery.text.ts'
import { StepHead } from './step-head.tsx'

interface Props {
  onChoose: (purpose: RecoveryPurpose) => void
  onAgain: () => void
}

/** A protected account has two things that can be lost. */
export function ChoiceStep({ onChoose, onAgain }: Props) {
  const text = useRecoveryText().choice
  return (
    <>
      <StepHead step={4} title={text.title} lead={text.lead} />
      <div className="choices">
        <Choice name={text.mobile} line={text.mobileLine} busy={false} onChoose={() => onChoose('mobile')} />
        <Choice name={text.factor} line={text.factorLine} busy={false} onChoose={() => onChoose('factor')} />
      </div>
      <div className="recover-foot">
        <AgainButton onAgain={onAgain} />
        <LeaveLink />
      </div>
    </>
  )
}
