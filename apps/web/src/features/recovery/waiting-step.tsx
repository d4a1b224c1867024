import { pages } from '@hufu/contract/pages'
import { Link } from 'react-router'
import { useRecoveryText } from '../../lib/recovery-text.ts'
import { useNow } from '../../lib/use-now.ts'
import { momentOf } from '../../lib/when.ts'
import { Notice } from '../../ui/notice.tsx'
import { loginLeadingTo } from '../login/source.ts'
import { LeaveLink } from './leave-link.tsx'
import { StepHead } from './step-head.tsx'
import { timeLeft } from './time-left.ts'

interface Props {
  ready: number
  expires: number | null
}

/** From when it goes on, how long that is, and what to do then. */
export function WaitingStep({ ready, expires }: Props) {
  const { waiting: text, lasting, when } = useRecoveryText()
  const now = useNow()
  const { days, hours, minutes } = timeLeft(ready, now)
  return (
    <>
      <StepHead step={4} title={text.title} lead={text.lead} />
      <dl className="recover-when">
        <dt>{text.from}</dt>
        <dd>{text.after(momentOf(ready, now, when))}</dd>
        <dd>{text.left(lasting(days, hours, minutes))}</dd>
      </dl>
      <div className="recover-next">
        <p>{text.next}</p>
        {expires !== null && <p>{text.until(momentOf(expires, now, when))}</p>}
      </div>
      <Notice kind="warn">
        {text.notMe}
        <span className="recover-ways">
          <Link to={loginLeadingTo(pages.user)}>{text.cancel}</Link>
        </span>
      </Notice>
      <div className="recover-foot">
        <LeaveLink />
      </div>
    </>
  )
}
