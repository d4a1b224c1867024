import '../verify-code/mobile-field.css'
import { pages } from '@hufu/contract/pages'
import type { UserInfo } from '@hufu/contract/profile'
import { codeLength } from '@hufu/contract/verify-code-rules'
import { useState } from 'react'
import { Link } from 'react-router'
import { type Failure, failureOf, messageFor } from '../../lib/call/failure.ts'
import { groupMobile } from '../../lib/mobile-number.ts'
import { noteUsed } from '../../session/sent-codes.ts'
import { Field } from '../../ui/fields/field.tsx'
import { FormCard } from '../../ui/fields/form-card.tsx'
import { useIdentityText } from '../identity.text.ts'
import { CodePart } from '../verify-code/code-part.tsx'
import { useCodeSending } from '../verify-code/use-code-sending.ts'
import { useStepUpText } from './step-up.text.ts'
import { sendCheckCode, verifyCheck } from './two-factor.api.ts'

interface Props {
  kind: 'mobile' | 'email'
  user: UserInfo
  onProved: () => void
}

/** A code sent to the user's own number or address, which can't be changed here. */
export function CodeProof({ kind, user, onProved }: Props) {
  const text = useStepUpText()
  const { verifyCode, credentials } = useIdentityText()
  const receiver = kind === 'mobile' ? `+${user.mobilePrefix} ${user.mobile}` : (user.email ?? '')
  const [code, setCode] = useState('')
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure<'receiver' | 'code'>>()
  const sending = useCodeSending({
    receiver,
    purpose: 'twoFactor',
    ask: (proof) => {
      setFailure(undefined)
      return sendCheckCode(kind, proof)
    },
    onSent: () => setCode(''),
    onRefused: (error) => setFailure(failureOf(error, sending.sent ? 'code' : 'receiver')),
  })

  async function verify(typed: string) {
    if (busy) return
    setBusy(true)
    setFailure(undefined)
    try {
      await verifyCheck({ code: typed, ...(kind === 'email' && { way: kind }) })
      noteUsed(receiver)
      onProved()
    } catch (error) {
      setBusy(false)
      setFailure(failureOf(error, 'code'))
      sending.selectCode()
    }
  }
  const typeCode = (typed: string) => {
    setCode(typed)
    setFailure(undefined)
    if (typed.length === codeLength && typed !== code) void verify(typed)
  }
  const submit = () => {
    if (!sending.sent) sending.send()
    else if (code.length === codeLength) void verify(code)
  }
  return (
    <FormCard inside onSubmit={submit}>
      <OwnReceiver kind={kind} user={user} error={messageFor(failure, 'receiver')} />
      <CodePart
        sending={sending}
        ready
        label={kind === 'mobile' ? verifyCode.smsCode : verifyCode.emailCode}
        code={code}
        onCode={typeCode}
        error={messageFor(failure, 'code')}
        go={text.verify}
        busy={busy}
      />
      {kind === 'mobile' && (
        <Link className="number-lost" to={pages.recover}>
          {credentials.numberLost}
        </Link>
      )}
    </FormCard>
  )
}

function OwnReceiver({ kind, user, error }: Pick<Props, 'kind' | 'user'> & { error: string | undefined }) {
  const text = useStepUpText()
  const mobile = kind === 'mobile'
  return (
    <Field label={mobile ? text.mobile : text.email} error={error}>
      {(control) => (
        <div className="box">
          {mobile && <span className="prefix still">+{user.mobilePrefix}</span>}
          <input {...control} readOnly value={mobile ? groupMobile(user.mobile ?? '') : (user.email ?? '')} />
        </div>
      )}
    </Field>
  )
}
