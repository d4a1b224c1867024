import { Copy } from 'lucide-react'
import { useRef, useState } from 'react'
import { copyText } from '../../lib/copy-text.ts'
import { useNow } from '../../lib/time/use-now.ts'
import { clockOf } from '../../lib/time/when.ts'
import { Button } from '../../ui/button.tsx'
import { Modal } from '../../ui/dialog.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Notice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useMerchantUsersText } from './merchant-users.text.ts'
import { ReasonField } from './reason-field.tsx'
import type { ReasonDialogProps } from './release-dialog.tsx'
import { resetFactors, useUserChange } from './user.api.ts'
import { callName } from './user-name.ts'

interface Enrolment {
  enrolment: string
  expires: number
}

/** Removes the factors of another operator; what they enrol with again is shown once. */
export function ResetFactorsDialog({ user, reason, onReason, onClose }: ReasonDialogProps) {
  const text = useMerchantUsersText().user
  const [given, setGiven] = useState<Enrolment>()
  const { id } = user
  const { go, busy, error } = useUserChange(id, {
    make: () => resetFactors({ id, reason: reason.trim() }),
    becomes: { factors: { passkeys: 0, totp: false, recovery: 0 } },
    onDone: setGiven,
  })
  if (given) return <EnrolmentDialog {...given} name={callName(user)} onClose={onClose} />
  return (
    <FormDialog
      danger
      title={text.resetTitle}
      lead={text.resetMessage(callName(user))}
      go={text.resetGo}
      waiting={reason.trim() === ''}
      busy={busy}
      error={error}
      onGo={go}
      onCancel={onClose}
    >
      <ReasonField placeholder={text.resetReason} value={reason} onChange={onReason} />
    </FormDialog>
  )
}

function EnrolmentDialog({ enrolment, expires, name, onClose }: Enrolment & { name: string; onClose: () => void }) {
  const text = useMerchantUsersText().user
  const now = useNow()
  const close = useRef<HTMLButtonElement>(null)
  const copy = () =>
    copyText(enrolment).then(
      () => showToast('good', text.resetCopied),
      () => showToast('bad', text.resetCopyFailed),
    )
  return (
    <Modal title={text.resetDone} first={close} look="reset-done" onCancel={onClose}>
      <p>{text.resetDoneMessage(name)}</p>
      <div className="reset-code">
        <code>{enrolment}</code>
        <Button kind="quiet" aria-label={text.resetCopy} onClick={copy}>
          <Copy />
          {text.resetCopyShort}
        </Button>
      </div>
      <Notice kind="warn">{expires > now ? text.resetOnce(clockOf(expires)) : text.resetOver}</Notice>
      <div className="dialog-acts">
        <Button ref={close} onClick={onClose}>
          {text.resetClose}
        </Button>
      </div>
    </Modal>
  )
}
