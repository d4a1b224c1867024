import type { Passkey } from '@hufu/contract/factors'
import { useState } from 'react'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/fields/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useFailureWords } from '../failure-words.ts'
import { removePasskey, renamePasskey, useFactorChange } from '../protection.api.ts'
import { useProtectionText } from '../protection.text.ts'

interface Props {
  passkey: Passkey
  onClose: () => void
}

export function RenamePasskeyDialog({ passkey, onClose }: Props) {
  const text = useProtectionText().passkeys
  const words = useFailureWords()
  const [name, setName] = useState(passkey.name)
  const { go, busy, error } = useFactorChange({
    make: () => renamePasskey(passkey.id, name.trim()),
    onDone: () => {
      showToast('good', text.renamed)
      onClose()
    },
  })
  return (
    <FormDialog
      title={text.renameTitle}
      lead={text.renameLead}
      go={text.save}
      waiting={name.trim() === ''}
      busy={busy}
      error={undefined}
      onGo={() => go()}
      onCancel={onClose}
    >
      <Field label={text.name} error={words(error)}>
        {(control) => (
          <div className="box">
            <input {...control} maxLength={40} value={name} onChange={(event) => setName(event.target.value)} />
          </div>
        )}
      </Field>
    </FormDialog>
  )
}

/** The last one ends the protection. */
export function RemovePasskeyDialog({ passkey, last, onClose }: Props & { last: boolean }) {
  const text = useProtectionText().passkeys
  const words = useFailureWords()
  const { go, busy, error } = useFactorChange({
    make: () => removePasskey(passkey.id),
    onDone: () => {
      showToast('good', text.removed)
      onClose()
    },
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
      {last ? text.removeLast(passkey.name) : text.removeMessage(passkey.name)}
    </Dialog>
  )
}
