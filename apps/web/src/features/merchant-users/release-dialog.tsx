import type { Person } from '@hufu/contract/merchant-users'
import { showToast } from '../../ui/toast.tsx'
import { FormDialog } from './form-dialog.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { ReasonField } from './reason-field.tsx'
import { releaseMobile, usePersonChange } from './user.api.ts'
import { wholeMobile } from './user-ways.tsx'

export interface ReasonDialogProps {
  person: Person
  reason: string
  onReason: (reason: string) => void
  onClose: () => void
}

/** Takes a lost number off the account; why is asked, and kept in the operators' log. */
export function ReleaseDialog({ person, reason, onReason, onClose }: ReasonDialogProps) {
  const { person: text, changed } = useMerchantUsersText()
  const { id, mobile } = person
  const { go, busy, error } = usePersonChange(id, {
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
      lead={text.releaseMessage(wholeMobile(person) ?? '')}
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
