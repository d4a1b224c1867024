import './undo-page.css'
import type { UndoableChange, UndoWay } from '@hufu/contract/undo'
import { codeLength } from '@hufu/contract/verify-code-rules'
import { useState } from 'react'
import { useIdentityText } from '../../identity/identity.text.ts'
import { NewPasswordForm } from '../../identity/new-password/new-password-form.tsx'
import { CodePart } from '../../identity/verify-code/code-part.tsx'
import { useCodeSending } from '../../identity/verify-code/use-code-sending.ts'
import { type Failure, failureOf, messageFor } from '../../lib/call/failure.ts'
import { withProofOfWork } from '../../lib/call/with-proof-of-work.ts'
import { Button } from '../../ui/button.tsx'
import { FormCard } from '../../ui/fields/form-card.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { Segmented } from '../../ui/fields/segmented.tsx'
import { Support } from '../recovery/support.tsx'
import { isExpired, sendUndoCode, undo } from './undo.api.ts'
import { useUndoText } from './undo.text.ts'

interface Props {
  token: string
  from: UndoableChange
  onDone: () => void
  onExpired: () => void
  onBack: () => void
}

/** What the owner gives besides the link. */
type Evidence = { password: string } | { code: string }

/** First the proof, then the new password; a proof that turns out wrong leads back to it. */
export function UndoSteps({ token, from, onDone, onExpired, onBack }: Props) {
  const [evidence, setEvidence] = useState<Evidence>()
  const [failure, setFailure] = useState<Failure<'proof' | 'password'>>()
  const [busy, setBusy] = useState(false)
  async function restore(newPassword: string) {
    if (!evidence || busy) return
    setBusy(true)
    setFailure(undefined)
    try {
      const ask = (proof?: string) => undo({ token, from: from.id, ...evidence, newPassword, proof })
      await withProofOfWork(ask, () => undefined)
      onDone()
    } catch (error) {
      if (isExpired(error)) return onExpired()
      const failed = failureOf<'proof' | 'password'>(error, 'proof')
      const field = failed.code.startsWith('PASSWORD_') && failed.code !== 'PASSWORD_WRONG' ? 'password' : 'proof'
      setFailure({ ...failed, field })
      if (field === 'proof') setEvidence(undefined)
    } finally {
      setBusy(false)
    }
  }
  if (evidence) return <NewPassword busy={busy} error={messageFor(failure, 'password')} onSubmit={restore} />
  const prove = (given: Evidence) => {
    setFailure(undefined)
    setEvidence(given)
  }
  return <ProofStep token={token} from={from} error={failure?.message} onProof={prove} onBack={onBack} />
}

interface NewPasswordProps {
  busy: boolean
  error: string | undefined
  onSubmit: (password: string) => void
}

function NewPassword({ busy, error, onSubmit }: NewPasswordProps) {
  const text = useUndoText()
  return (
    <>
      <div className="lead">
        <h1>{text.newTitle}</h1>
        <p>{text.newLead}</p>
      </div>
      <NewPasswordForm
        label={text.newPassword}
        placeholder={text.newPasswordPlaceholder}
        repeatLabel={text.repeat}
        repeatPlaceholder={text.repeatPlaceholder}
        go={text.restore}
        busy={busy}
        error={error}
        onSubmit={onSubmit}
      />
    </>
  )
}

interface ProofProps {
  token: string
  from: UndoableChange
  error: string | undefined
  onProof: (evidence: Evidence) => void
  onBack: () => void
}

function ProofStep({ token, from, error, onProof, onBack }: ProofProps) {
  const text = useUndoText()
  const [way, setWay] = useState<UndoWay | undefined>(from.ways[0])
  const options = from.ways.map((value) => ({ value, label: text.ways[value] }))
  return (
    <>
      <div className="lead">
        <h1>{text.proofTitle}</h1>
        <p>{text.proofLead}</p>
      </div>
      {options.length > 1 && (
        <Segmented label={text.wayLabel} value={way} options={options} onChange={(chosen) => setWay(chosen)} />
      )}
      {way === 'password' && <PasswordProof error={error} onProof={onProof} />}
      {way === 'mobile' && <CodeProof token={token} from={from} error={error} onProof={onProof} />}
      {way === undefined && <Support>{text.nothing}</Support>}
      <div className="undo-acts">
        <Button kind="quiet" wide onClick={onBack}>
          {text.back}
        </Button>
      </div>
    </>
  )
}

function PasswordProof({ error, onProof }: Pick<ProofProps, 'error' | 'onProof'>) {
  const text = useUndoText()
  const [password, setPassword] = useState('')
  return (
    <FormCard inside onSubmit={() => password !== '' && onProof({ password })}>
      <PasswordField
        label={text.password}
        labelled
        placeholder={text.passwordPlaceholder}
        value={password}
        onChange={setPassword}
        error={password === '' ? error : undefined}
      />
      <Button type="submit" wide disabled={password === ''}>
        {text.next}
      </Button>
    </FormCard>
  )
}

function CodeProof({ token, from, error, onProof }: Omit<ProofProps, 'onBack'>) {
  const text = useUndoText()
  const { verifyCode } = useIdentityText()
  const [code, setCode] = useState('')
  const [refused, setRefused] = useState<string>()
  const sending = useCodeSending({
    receiver: `undo ${from.mobile}`,
    purpose: 'undo',
    ask: (proof) => {
      setRefused(undefined)
      return sendUndoCode(token, from.id, proof)
    },
    onSent: () => setCode(''),
    onRefused: (failure) => setRefused((failure as Error).message),
  })
  const submit = () => {
    if (!sending.sent) sending.send()
    else if (code.length === codeLength) onProof({ code })
  }
  return (
    <FormCard inside onSubmit={submit}>
      <p className="hint">{text.mobile(from.mobile ?? '')}</p>
      <CodePart
        sending={sending}
        ready
        label={verifyCode.smsCode}
        code={code}
        onCode={setCode}
        error={refused ?? (code === '' ? error : undefined)}
        go={text.next}
        busy={false}
      />
    </FormCard>
  )
}
