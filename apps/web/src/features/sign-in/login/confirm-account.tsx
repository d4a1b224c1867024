import '../../../ui/other-ways.css'
import type { FactorRequired } from '@hufu/contract/factors'
import { ArrowLeft } from 'lucide-react'
import { useEffect, useState } from 'react'
import type { Failure } from '../../../lib/call/failure.ts'
import { Button } from '../../../ui/button.tsx'
import { Choice } from '../../../ui/choice.tsx'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import { AccountProof } from './account-proof.tsx'
import { useConfirmText } from './confirm.text.ts'
import { Lead } from './lead.tsx'
import { useConfirm } from './use-confirm.ts'

interface Props {
  ticket: string
  /** The agreements that were agreed to before. */
  agreements: string | undefined
  onSignedIn: () => void
  onFactor: (required: FactorRequired) => void
  /** Back to the beginning, with the reason if there is one. */
  onBack: (failure?: Failure<'mobile'>) => void
}

/** Carriers reassign numbers: asks whether the account of this number is the user's own. */
export default function ConfirmAccount({ ticket, agreements, onSignedIn, onFactor, onBack }: Props) {
  const text = useConfirmText().confirm
  const confirm = useConfirm({ ticket, agreements, onSignedIn, onFactor, onExpired: onBack })
  const [answer, setAnswer] = useState<'mine' | 'notMine'>()
  // The form that had the focus is gone: screen readers go on at the new heading.
  useEffect(() => {
    if (!confirm.wanted) document.getElementById('main')?.focus()
  }, [confirm.wanted])
  const choose = (chosen: 'mine' | 'notMine') => {
    setAnswer(chosen)
    void confirm.answer({ mine: chosen === 'mine' })
  }
  if (confirm.wanted) return <AccountProof ticket={ticket} confirm={confirm} wanted={confirm.wanted} />
  const waitingFor = (one: 'mine' | 'notMine') => confirm.busy && answer === one
  return (
    <>
      <Lead title={text.title} line={text.lead} />
      <div className="choices">
        <Choice name={text.mine} line={text.mineLine} busy={waitingFor('mine')} onChoose={() => choose('mine')} />
        <Choice
          name={text.notMine}
          line={text.notMineLine}
          busy={waitingFor('notMine')}
          onChoose={() => choose('notMine')}
        />
        <ErrorLine message={confirm.failure?.message} />
      </div>
      <div className="others">
        <Button kind="text" onClick={() => onBack()}>
          <ArrowLeft />
          {text.back}
        </Button>
      </div>
    </>
  )
}
