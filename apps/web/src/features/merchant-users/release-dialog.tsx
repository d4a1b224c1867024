import type { Person } from '@hufu/contract/merchant-users'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { ReasonField } from './reason-field.tsx'
import { releaseMobile, useUserChange } from './user.api.ts'
import { wholeMobile } from './user-ways.tsx'

export interface ReasonDialogProps {
  user: Person
  reason: string
  onReason: (reason: string) => void
  onClose: () => void
}

/** Releases a lost number from the account; the reason is required and logged. */
export function ReleaseDialog({ user, reason, onReason, onClose }: ReasonDialogProps) {
  const { user: text, changed } = useMerchantUsersText()
  const { id, mobile } = user
  const { go, busy, error } = useUserChange(id, {
    make: () => releaseMobile({ id, reason: reason.trim(), ...(mobile && { mobile }) }),
    becomes: { mobilePrefix: null, mobile: null, releasable: false, recovery: null },
    onDone: () => {
      showToast('good', changed)
      onClose()
    },
  })
  return (
    <FormDialog
      danger
      title={text.releaseTitle}
      lead={text.releaseMessage(wholeMobile(user) ?? '')}
      go={text.releaseGo}
      waiting={reason.trim() === ''}
      busy={busy}
      error={error}
      onGo={go}
      onCancel={onClose}
    >
      <ReasonField placeholder={text.reasonPlaceholder} value={reason} onChange={onReason} />
    </FormDialog>
  )
}
