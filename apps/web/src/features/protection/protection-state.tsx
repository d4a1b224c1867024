import '../../ui/card.css'
import '../../ui/fields/form-card.css'
import './protection-state.css'
import '../../ui/badge.css'
import type { FactorState } from '@hufu/contract/factors'
import { pages } from '@hufu/contract/pages'
import type { UserInfo } from '@hufu/contract/profile'
import { Check, ShieldAlert, ShieldCheck } from 'lucide-react'
import { dayInChina } from '../../lib/time/china-time.ts'
import { useNow } from '../../lib/time/use-now.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { ErrorLine } from '../../ui/fields/field.tsx'
import type { PasskeyAdding } from './passkeys/add-passkey-dialog.tsx'
import { useProtectionText } from './protection.text.ts'

interface Props {
  user: UserInfo
  factors: FactorState
  adding: PasskeyAdding
}

/** Whether the account is protected; if not, the shortest way to it. */
export function ProtectionState({ user, factors, adding }: Props) {
  const text = useProtectionText()
  const lead = useOffLead(user, factors)
  const { protected: on, operator } = factors
  return (
    <section className={on ? 'card protection-state on' : 'card protection-state'}>
      <div className="protection-top">
        <span className="protection-icon">{on ? <ShieldCheck /> : <ShieldAlert />}</span>
        <div>
          <h2>
            {text.title}
            {on ? (
              <span className="badge good">
                <Check />
                {text.on}
              </span>
            ) : (
              <span className="badge warn">{operator ? text.must : text.off}</span>
            )}
          </h2>
          <p>{on ? text.onLead : lead}</p>
        </div>
      </div>
      {!on && <Begin adding={adding} />}
    </section>
  )
}

/** An operator needs it for the back-office, at once or from a day on. */
function useOffLead({ enrolBy }: UserInfo, { operator, enrolment }: FactorState): string {
  const text = useProtectionText()
  const now = useNow()
  if (enrolment) return text.enrolment.needed
  if (!operator) return text.offLead
  if (enrolBy === null || enrolBy <= now) return text.operatorLead
  // It ends at midnight in China: its last day is the one before.
  const { month, date } = dayInChina(enrolBy - 1)
  return text.operatorBy(month, date)
}

function Begin({ adding }: Pick<Props, 'adding'>) {
  const text = useProtectionText()
  if (!adding.possible)
    return (
      <div className="protection-begin">
        <ButtonLink wide to={pages.protectionTotp}>
          {text.beginTotp}
        </ButtonLink>
        <p className="form-note">{text.beginTotpHint}</p>
      </div>
    )
  return (
    <div className="protection-begin">
      <Button wide busy={adding.busy} onClick={adding.begin}>
        {text.begin}
      </Button>
      <ErrorLine message={adding.trouble} />
      <p className="form-note">{text.beginHint}</p>
    </div>
  )
}
