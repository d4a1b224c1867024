import type { FactorState } from '@hufu/contract/factors'
import { pages } from '@hufu/contract/pages'
import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { CallError, networkError } from '../../../lib/call/call.ts'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { EnrolmentField } from '../enrolment-field.tsx'
import { useFailureWords } from '../failure-words.ts'
import { LostDeviceWarning } from '../lost-device-warning.tsx'
import { addPasskey, beginPasskey, codeOf, useFactorChange, useNewCodes } from '../protection.api.ts'
import { useProtectionText } from '../protection.text.ts'

/** How a page offers to add a passkey. */
export interface PasskeyAdding {
  /** Whether this browser can. */
  possible: boolean
  busy: boolean
  trouble: string | undefined
  begin: () => void
}

const loadCreation = () => import('./create-passkey.ts')

interface Props {
  factors: FactorState
  onClose: () => void
}

/** After the identity check: the browser asks for the passkey once its user presses, as Safari requires. */
export function AddPasskeyDialog({ factors, onClose }: Props) {
  const text = useProtectionText()
  const navigate = useNavigate()
  const { keep } = useNewCodes()
  const [enrolment, setEnrolment] = useState('')
  const { go, busy, error, reset } = useFactorChange({
    make: async () => {
      const code = enrolment.trim() || undefined
      const options = await beginPasskey(code)
      const { createPasskey } = await loadCreation()
      const { recoveryCodes } = await addPasskey(await createPasskey(options), code)
      if (recoveryCodes) keep({ codes: recoveryCodes, because: 'enabled' })
      return recoveryCodes
    },
    onDone: (codes) => {
      if (!codes) showToast('good', text.passkeys.added)
      onClose()
      if (codes) void navigate(pages.protectionCodes)
    },
  })
  useEffect(() => {
    // Loaded before it is pressed: browsers forget the press after some seconds.
    void loadCreation().catch(() => undefined)
  }, [])
  const asked = factors.enrolment || codeOf(error) === 'ENROLMENT_REQUIRED'
  const { ofCode, other } = usePasskeyFailure(error, asked)
  const edit = (typed: string) => {
    reset()
    setEnrolment(typed)
  }
  return (
    <FormDialog
      title={text.passkeys.addTitle}
      lead={text.passkeys.addLead + (factors.protected ? '' : text.passkeys.addFirst)}
      go={text.passkeys.go}
      waiting={asked && enrolment.trim() === ''}
      busy={busy}
      error={other}
      onGo={() => go()}
      onCancel={onClose}
    >
      {asked && <EnrolmentField value={enrolment} error={ofCode} onChange={edit} />}
      {!factors.protected && <LostDeviceWarning factors={factors} />}
    </FormDialog>
  )
}

/** A wrong code stands at its field, everything else above the buttons. */
function usePasskeyFailure(error: Error | undefined, asked: boolean) {
  const text = useProtectionText()
  const words = useFailureWords()
  if (!error) return { ofCode: undefined, other: undefined }
  if (!(error instanceof CallError)) return { ofCode: undefined, other: browserWords(error, text.passkeys) }
  if (error.code === 'PASSKEY_TAKEN') return { ofCode: undefined, other: text.passkeys.taken }
  const ofCode = asked && ['FACTOR_WRONG', 'ENROLMENT_REQUIRED', 'INPUT_INVALID'].includes(error.code)
  if (ofCode) return { ofCode: text.enrolment.wrong, other: undefined }
  return { ofCode: undefined, other: words(error, text.passkeys.wrong) }
}

/** What the browser itself refuses. */
function browserWords({ name }: Error, text: { cancelled: string; taken: string; failed: string }): string {
  if (name === 'NotAllowedError' || name === 'AbortError') return text.cancelled
  if (name === 'InvalidStateError') return text.taken
  return name === 'TypeError' ? networkError.message : text.failed
}
