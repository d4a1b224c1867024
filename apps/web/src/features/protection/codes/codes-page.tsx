import '../protection.css'
import { pages } from '@hufu/contract/pages'
import { Ticket } from 'lucide-react'
import { useState } from 'react'
import { Navigate } from 'react-router'
import { Frame } from '../../../frame/frame.tsx'
import { useAfterCheck } from '../../../identity/step-up/use-after-check.ts'
import { useGoBack } from '../../../lib/history/go-back.ts'
import { useNow } from '../../../lib/time/use-now.ts'
import { dayName } from '../../../lib/time/when.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { ExplainedRow } from '../../../ui/explained-row.tsx'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { FactorsLoaded, type Loaded } from '../factors-loaded.tsx'
import { useFailureWords } from '../failure-words.ts'
import { renewCodes, useFactorChange, useNewCodes } from '../protection.api.ts'
import { useProtectionText } from '../protection.text.ts'
import { fewCodes } from './few-codes.ts'
import { RecoveryCodes } from './recovery-codes.tsx'

/** New codes, shown once; else how many are left, and how to get new ones. */
export default function CodesPage() {
  const text = useProtectionText().codes
  const goBack = useGoBack(pages.protection)
  return (
    <Frame title={text.title} narrow onBack={() => goBack(1)}>
      <FactorsLoaded>{(loaded) => <Shown {...loaded} />}</FactorsLoaded>
    </Frame>
  )
}

function Shown({ user, factors }: Loaded) {
  const text = useProtectionText().codes
  const { made } = useNewCodes()
  if (made) return <RecoveryCodes made={made} user={user} title={text[made.because]} />
  if (!factors.protected) return <Navigate to={pages.protection} replace />
  return <Left factors={factors} />
}

function Left({ factors: { recovery } }: Pick<Loaded, 'factors'>) {
  const { codes: text, when } = useProtectionText()
  const now = useNow()
  const [sure, setSure] = useState(false)
  const check = useAfterCheck<true>(pages.protectionCodes, () => setSure(true))
  const left = recovery?.left ?? 0
  return (
    <>
      <p className="page-lead">{text.lead}</p>
      <Card rows>
        <ExplainedRow
          icon={Ticket}
          name={text.title}
          line={recovery ? text.created(dayName(recovery.created, now, when)) : text.none}
          value={text.left(left)}
        />
      </Card>
      {left <= fewCodes ? <Notice kind="warn">{text.few(left)}</Notice> : <Notice>{text.hidden}</Notice>}
      <Button kind="soft" wide busy={check.busy} onClick={() => check.begin(true)}>
        {text.renew}
      </Button>
      <ErrorLine message={check.error} />
      {sure && <RenewDialog onClose={() => setSure(false)} />}
    </>
  )
}

function RenewDialog({ onClose }: { onClose: () => void }) {
  const text = useProtectionText().codes
  const words = useFailureWords()
  const { keep } = useNewCodes()
  const { go, busy, error } = useFactorChange({
    make: async () => {
      const { recoveryCodes } = await renewCodes()
      keep({ codes: recoveryCodes, because: 'renewed' })
    },
    onDone: () => undefined,
  })
  return (
    <Dialog
      title={text.renewTitle}
      go={text.renew}
      busy={busy}
      error={words(error)}
      onGo={() => go()}
      onCancel={onClose}
    >
      {text.renewMessage}
    </Dialog>
  )
}
