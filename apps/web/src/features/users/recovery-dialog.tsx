import { call } from '../../lib/call.ts'
import { useMerchantText } from '../../lib/merchant-text.ts'
import { showToast } from '../../ui/toast.tsx'
import { FormDialog } from './form-dialog.tsx'
import { usePersonChange } from './person.api.ts'
import { callName } from './person-name.ts'
import { ReasonField } from './reason-field.tsx'
import type { ReasonDialogProps } from './release-dialog.tsx'

/** Ends a recovery that the person says is not theirs; why is asked, and kept in the operators' log. */
export function RecoveryDialog({ person, reason, onReason, onClose }: ReasonDialogProps) {
  const { person: text, changed } = useMerchantText()
  const { id } = person
  const { go, busy, error } = usePersonChange(id, {
    make: () => call('/api/merchant/user/cancelRecovery', { id, reason: reason.trim() }),
    becomes: { recovery: null },
    onDone: () => {
      showToast('good', changed)
      onClose()
    },
  })
  return (
    <FormDialog
      danger
      title={text.recoveryTitle}
      lead={text.recoveryMessage(callName(person))}
      go={text.recoveryGo}
      waiting={reason.trim() === ''}
      busy={busy}
      error={error}
      onGo={go}
      onCancel={onClose}
    >
      <ReasonField placeholder={text.recoveryReason} value={reason} onChange={onReason} />
    </FormDialog>
  )
}
