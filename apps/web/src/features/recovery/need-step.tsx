import { Hourglass, KeyRound, Mail } from 'lucide-react'
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

function Needed({ onBegin }: { onBegin: () => void }) {
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
    </>
  )
}

function Helpless() {
  const { need: text, support } = useRecoveryText()
  return (
    <>
      <div className="lead">
        <h1>{text.title}</h1>
      </div>
      <Support>{support.noPassword}</Support>
    </>
  )
}
