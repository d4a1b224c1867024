import type { FactorState } from '@hufu/contract/factors'
import { pages } from '@hufu/contract/pages'
import { Clock, History } from 'lucide-react'
import { useState } from 'react'
import { useAfterCheck } from '../../../identity/step-up/use-after-check.ts'
import { useNow } from '../../../lib/time/use-now.ts'
import { momentOf, whenOf } from '../../../lib/time/when.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useFailureWords } from '../failure-words.ts'
import { removeTotp, useFactorChange } from '../protection.api.ts'
import { useProtectionText } from '../protection.text.ts'

interface Props {
  totp: NonNullable<FactorState['totp']>
  factors: FactorState
}

/** Since when there is one and when it was used, and its removal. */
export function TotpBound({ totp: { created, lastUsed }, factors }: Props) {
  const { totp: text, turnOff, when } = useProtectionText()
  const now = useNow()
  const [sure, setSure] = useState(false)
  const check = useAfterCheck<true>(`${pages.protectionTotp}#remove`, () => setSure(true))
  const last = factors.passkeys.length === 0
  const used = lastUsed === null ? text.neverUsed : whenOf(lastUsed, now, when)
  return (
    <>
      <p className="page-lead">{text.lead}</p>
      <Card rows>
        <div className="row">
          <Clock />
          <span className="name">{text.bound}</span>
          <span className="value">{momentOf(created, now, when)}</span>
        </div>
        <div className="row">
          <History />
          <span className="name">{text.lastUsed}</span>
          <span className={lastUsed === null ? 'value unset' : 'value'}>{used}</span>
        </div>
      </Card>
      <p className="protection-kept">{last && factors.operator ? turnOff.operator : text.change}</p>
      {!(last && factors.operator) && (
        <Button kind="danger" wide busy={check.busy} onClick={() => check.begin(true)}>
          {text.remove}
        </Button>
      )}
      <ErrorLine message={check.error} />
      {sure && <RemoveDialog last={last} onClose={() => setSure(false)} />}
    </>
  )
}

function RemoveDialog({ last, onClose }: { last: boolean; onClose: () => void }) {
  const text = useProtectionText().totp
  const words = useFailureWords()
  const { go, busy, error } = useFactorChange({
    make: removeTotp,
    onDone: () => showToast('good', text.removed),
  })
  return (
    <Dialog
      danger
      title={text.removeTitle}
      go={text.remove}
      busy={busy}
      error={words(error)}
      onGo={() => go()}
      onCancel={onClose}
    >
      {last ? text.removeLast : text.removeMessage}
    </Dialog>
  )
}
