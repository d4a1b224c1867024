import type { RecoveryStanding } from '@hufu/contract/recovery'
import { codeLength } from '@hufu/contract/verify-code-rules'
import { useState } from 'react'
import { useIdentityText } from '../../identity/identity.text.ts'
import { CodePart } from '../../identity/verify-code/code-part.tsx'
import { useCodeSending } from '../../identity/verify-code/use-code-sending.ts'
import { withProofOfWork } from '../../lib/call/with-proof-of-work.ts'
import { noteUsed } from '../../session/sent-codes.ts'
import { ErrorLine } from '../../ui/fields/field.tsx'
import { FormCard } from '../../ui/fields/form-card.tsx'
import { BackButton } from './back-button.tsx'
import type { Progress } from './progress.ts'
import { proveRecovery, sendRecoveryEmailCode } from './recovery.api.ts'
import { useRecoveryText } from './recovery.text.ts'
import { StepHead } from './step-head.tsx'
import { useAttempt } from './use-attempt.ts'

interface Props {
  progress: Progress
  onProved: (standing: RecoveryStanding) => void
  onOver: (word: string) => void
  onBack: () => void
}

/** The second proof: a code mailed to the account's own address. */
export function EmailStep({ progress: { ticket, email }, onProved, onOver, onBack }: Props) {
  const text = useRecoveryText()
  const { verifyCode, credentials } = useIdentityText()
  const [code, setCode] = useState('')
  const [solving, setSolving] = useState(false)
  const { busy, failure, refuse, clearFailure, attempt } = useAttempt<'code'>(onOver)
  const sending = useCodeSending({
    receiver: email,
    purpose: 'recovery',
    ask: (proof) => {
      clearFailure()
      return sendRecoveryEmailCode({ ticket, proof })
    },
    onSent: () => setCode(''),
    onRefused: (error) => refuse(error, 'code'),
  })
  const prove = (typed: string) =>
    attempt(
      async () => {
        const ask = (proof?: string) => proveRecovery({ ticket, code: typed, proof })
        const standing = await withProofOfWork(ask, setSolving)
        noteUsed(email)
        onProved(standing)
      },
      (error) => {
        refuse(error, 'code')
        sending.selectCode()
      },
    )
  const typeCode = (typed: string) => {
    setCode(typed)
    clearFailure()
    if (typed.length === codeLength && typed !== code) prove(typed)
  }
  const submit = () => {
    if (!sending.sent) sending.send()
    else if (code.length === codeLength) prove(code)
  }
  return (
    <>
      <StepHead step={3} title={text.email.title} lead={text.email.lead(email)} />
      <FormCard inside onSubmit={submit}>
        {!sending.sent && <ErrorLine message={failure?.message} />}
        <CodePart
          sending={sending}
          ready
          label={verifyCode.emailCode}
          code={code}
          onCode={typeCode}
          error={failure?.message}
          go={solving ? credentials.solving : text.email.verify}
          busy={busy}
        />
      </FormCard>
      <div className="recover-foot">
        <BackButton onBack={onBack} />
      </div>
    </>
  )
}
