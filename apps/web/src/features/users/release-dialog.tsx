import type { Person } from '@hufu/contract/merchant-users'
import { call } from '../../lib/call.ts'
import { useMerchantText } from '../../lib/merchant-text.ts'
import { Field } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { FormDialog } from './form-dialog.tsx'
import { usePersonChange } from './person.api.ts'
import { wholeMobile } from './person-ways.tsx'

interface Props {
  person: Person
  reason: string
  onReason: (reason: string) => void
  onClose: () => void
}

/** Takes a lost number off the account; why is asked, and kept in the operators' log. */
export function ReleaseDialog({ person, reason, onReason, onClose }: Props) {
  const { person: text, changed } = useMerchantText()
  const { id, mobile } = person
  const { go, busy, error } = usePersonChange(id, {
    make: () => call('/api/merchant/user/releaseMobile', { id, reason: reason.trim(), ...(mobile && { mobile }) }),
    becomes: { mobilePrefix: null, mobile: null, releasable: false },
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
      <Field label={text.reason}>
        {(control) => (
          <div className="box">
            <input
              {...control}
              maxLength={200}
              placeholder={text.reasonPlaceholder}
              value={reason}
              onChange={({ target }) => onReason(target.value)}
            />
          </div>
        )}
      </Field>
    </FormDialog>
  )
}
