import { Hourglass, KeyRound, Mail } from 'lucide-react'
import { useRecoveryText } from '../../lib/recovery-text.ts'
import { Button } from '../../ui/button.tsx'
import { LeaveLink } from './leave-link.tsx'
import { Points } from './points.tsx'
import { StepHead } from './step-head.tsx'
import { Support } from './support.tsx'

/** What it takes, before anything is asked for. */
export function NeedStep({ onBegin }: { onBegin: () => void }) {
  const { need: text, support } = useRecoveryText()
  return (
    <>
      <StepHead step={1} title={text.title} lead={text.lead} />
      <Points
        points={[
          { icon: KeyRound, name: text.password, hint: text.passwordHint },
          { icon: Mail, name: text.email, hint: text.emailHint },
          { icon: Hourglass, name: text.wait, hint: text.waitHint },
        ]}
      />
      <Button wide onClick={onBegin}>
        {text.go}
      </Button>
      <Support>{support.nothing}</Support>
      <div className="recover-foot">
        <LeaveLink />
      </div>
    </>
  )
}
