import { useQueryClient } from '@tanstack/react-query'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { ReasonField } from './reason-field.tsx'
import type { ReasonDialogProps } from './release-dialog.tsx'
import { cancelUserRecovery, profileKey, useUserChange } from './user.api.ts'
import { callName } from './user-name.ts'

/** Cancels a recovery that the user didn't start; the reason is required and logged. */
export function RecoveryDialog({ user, reason, onReason, onClose }: ReasonDialogProps) {
  const { user: text, changed } = useMerchantUsersText()
  const client = useQueryClient()
  const { id } = user
  const { go, busy, error } = useUserChange(id, {
    make: () => cancelUserRecovery(id, reason.trim()),
    becomes: { recovery: null },
    onDone: (cancelled) => {
      // A completed recovery has changed more fields than are known here.
      if (!cancelled) void client.invalidateQueries({ queryKey: profileKey(id) })
      showToast('good', cancelled ? changed : text.recoveryOver)
      onClose()
    },
  })
  return (
    <FormDialog
      danger
      title={text.recoveryTitle}
      lead={text.recoveryMessage(callName(user))}
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
