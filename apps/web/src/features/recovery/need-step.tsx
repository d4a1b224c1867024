import { Hourglass, KeyRound, Mail } from 'lucide-react'
import { useLocation } from 'react-router'
import { useSite } from '../../site/site.store.ts'
import { Button } from '../../ui/button.tsx'
import { LeaveLink } from './leave-link.tsx'
import { Points } from './points.tsx'
import { useRecoveryText } from './recovery.text.ts'
import { StepHead } from './step-head.tsx'
import { Support } from './support.tsx'

/** What it takes, before anything is asked for; where the site has no passwords, support helps. */
export function NeedStep({ onBegin }: { onBegin: () => void }) {
  const possible = useSite(({ methods }) => methods.includes('password'))
  return (
    <>
      {possible ? <Needed onBegin={onBegin} /> : <Helpless />}
      <div className="recover-foot">
        <LeaveLink />
      </div>
    </>
  )
}

/** The second step of a sign-in led here. */
const useLostFactors = () => (useLocation().state as { purpose?: string } | null)?.purpose === 'factor'

function Needed({ onBegin }: { onBegin: () => void }) {
  const { need: text, support } = useRecoveryText()
  const { title, lead } = useLostFactors() ? text.factor : text
  return (
    <>
      <StepHead step={1} title={title} lead={lead} />
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
    </>
  )
}

function Helpless() {
  const { need: text, support } = useRecoveryText()
  const { title } = useLostFactors() ? text.factor : text
  return (
    <>
      <div className="lead">
        <h1>{title}</h1>
      </div>
      <Support>{support.noPassword}</Support>
    </>
  )
}
