import { MonitorSmartphone } from 'lucide-react'
import { useState } from 'react'
import { Card } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ExplainedRow } from '../../ui/explained-row.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFailureWords } from './failure-words.ts'
import { forgetTrusted, useFactorChange } from './protection.api.ts'
import { useProtectionText } from './protection.text.ts'

/** How many browsers skip the second step, and how to end that. */
export function TrustedDevices({ count }: { count: number }) {
  const text = useProtectionText().trusted
  const [asking, setAsking] = useState(false)
  return (
    <Card rows>
      <ExplainedRow
        icon={MonitorSmartphone}
        name={text.title}
        line={text.row}
        value={count > 0 ? text.count(count) : text.none}
        unset={count === 0}
        onPress={count > 0 ? () => setAsking(true) : undefined}
      />
      {asking && <ForgetDialog onClose={() => setAsking(false)} />}
    </Card>
  )
}

function ForgetDialog({ onClose }: { onClose: () => void }) {
  const text = useProtectionText().trusted
  const words = useFailureWords()
  const { go, busy, error } = useFactorChange({
    make: forgetTrusted,
    onDone: () => {
      showToast('good', text.forgotten)
      onClose()
    },
  })
  return (
    <Dialog
      title={text.forgetTitle}
      go={text.forget}
      busy={busy}
      error={words(error)}
      onGo={() => go()}
      onCancel={onClose}
    >
      {text.forgetMessage}
    </Dialog>
  )
}
