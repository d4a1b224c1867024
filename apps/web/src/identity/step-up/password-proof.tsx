import { useState } from 'react'
import { type Failure, failureOf } from '../../lib/call/failure.ts'
import { withProofOfWork } from '../../lib/call/with-proof-of-work.ts'
import { Button } from '../../ui/button.tsx'
import { FormCard } from '../../ui/fields/form-card.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { useIdentityText } from '../identity.text.ts'
import { useStepUpText } from './step-up.text.ts'
import { verifyCheck } from './two-factor.api.ts'

interface Props {
  onProved: () => void
}

export function PasswordProof({ onProved }: Props) {
  const text = useStepUpText()
  const { credentials } = useIdentityText()
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [solving, setSolving] = useState(false)
  const [failure, setFailure] = useState<Failure<'password'>>()

  async function verify() {
    if (busy || password === '') return
    setBusy(true)
    setFailure(undefined)
    try {
      await withProofOfWork((proof) => verifyCheck({ password, proof }), setSolving)
      onProved()
    } catch (error) {
      setBusy(false)
      setFailure(failureOf(error, 'password'))
    }
  }
  const edit = (typed: string) => {
    setFailure(undefined)
    setPassword(typed)
  }
  return (
    <FormCard inside onSubmit={() => void verify()}>
      <PasswordField
        label={text.password}
        labelled
        placeholder={text.passwordPlaceholder}
        value={password}
        onChange={edit}
        error={failure?.message}
      />
      <Button type="submit" wide busy={busy} disabled={password === ''}>
        {text.verify}
      </Button>
      <p className="form-note" role="status">
        {solving && credentials.solving}
      </p>
    </FormCard>
  )
}
