import { pages } from '@hufu/contract/pages'
import type { RecoveryPurpose } from '@hufu/contract/recovery'
import { Link } from 'react-router'
import { useNow } from '../../lib/time/use-now.ts'
import { momentOf } from '../../lib/time/when.ts'
import { loginLeadingTo } from '../../session/login-source.ts'
import { useUser } from '../../session/profile.api.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { AgainButton } from './back-button.tsx'
import { LeaveLink } from './leave-link.tsx'
import { NewNumberWarning } from './new-number-warning.tsx'
import { useRecoveryText } from './recovery.text.ts'
import { StepHead } from './step-head.tsx'
import { timeLeft } from './time-left.ts'

interface Props {
  purpose: RecoveryPurpose
  ready: number
  expires: number | null
  onAgain: () => void
}

/** From when it goes on, how long that is, and what to do then; in a page left open, that it goes on now. */
export function WaitingStep({ purpose, ready, expires, onAgain }: Props) {
  const { waiting: text, when } = useRecoveryText()
  const now = useNow()
  const over = now >= ready
  return (
    <>
      <StepHead step={4} title={over ? text.over : text.title} lead={over ? text.overLead[purpose] : text.lead} />
      {!over && <When purpose={purpose} ready={ready} now={now} />}
      <div className="recover-next">
        <p>{(over ? text.overNext : text.next)[purpose]}</p>
        {expires !== null && <p>{text.until(momentOf(expires, now, when))}</p>}
      </div>
      {over && (
        <Button wide onClick={onAgain}>
          {text.go[purpose]}
        </Button>
      )}
      {purpose === 'mobile' && <NewNumberWarning />}
      <NotMe purpose={purpose} />
      <div className="recover-foot">
        {!over && <AgainButton onAgain={onAgain} />}
        <LeaveLink />
      </div>
    </>
  )
}

function When({ purpose, ready, now }: Pick<Props, 'purpose' | 'ready'> & { now: number }) {
  const { waiting: text, lasting, when } = useRecoveryText()
  const { days, hours, minutes } = timeLeft(ready, now)
  return (
    <dl className="recover-when">
      <dt>{text.from[purpose]}</dt>
      <dd>{text.after(momentOf(ready, now, when))}</dd>
      <dd>{text.left(lasting(days, hours, minutes))}</dd>
    </dl>
  )
}

/** It is cancelled in the user centre, signed in. */
function NotMe({ purpose }: Pick<Props, 'purpose'>) {
  const text = useRecoveryText().waiting
  const { user } = useUser()
  return (
    <Notice>
      {text.notMe}
      <span className="recover-ways">
        <Link to={user ? pages.user : loginLeadingTo(pages.user)}>
          {(user ? text.cancelSignedIn : text.cancel)[purpose]}
        </Link>
      </span>
    </Notice>
  )
}
