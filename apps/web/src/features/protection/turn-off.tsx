import { Card } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFailureWords } from './failure-words.ts'
import { removeFactors, useFactorChange } from './protection.api.ts'
import { useProtectionText } from './protection.text.ts'

export function TurnOffButton({ busy, onPress }: { busy: boolean; onPress: () => void }) {
  const text = useProtectionText().turnOff
  return (
    <Card rows>
      <button type="button" className="row alone" aria-busy={busy} onClick={onPress}>
        {text.button}
      </button>
    </Card>
  )
}

/** Ends the protection, after the identity check. */
export function TurnOffDialog({ onClose }: { onClose: () => void }) {
  const text = useProtectionText().turnOff
  const words = useFailureWords()
  const { go, busy, error } = useFactorChange({
    make: removeFactors,
    onDone: () => {
      showToast('good', text.done)
      onClose()
    },
  })
  return (
    <Dialog
      danger
      title={text.title}
      go={text.go}
      busy={busy}
      error={words(error)}
      onGo={() => go()}
      onCancel={onClose}
    >
      {text.message}
    </Dialog>
  )
}
