import { codeLength } from '@hufu/contract/verify-code-rules'
import { useEffect, useRef, useState } from 'react'
import { Resend } from '../../../identity/verify-code/resend.tsx'
import { useCountdown } from '../../../identity/verify-code/use-countdown.ts'
import { retryAfter } from '../../../lib/call/failure.ts'
import { withProofOfWork } from '../../../lib/call/with-proof-of-work.ts'
import { CodeField } from '../../../ui/fields/code-field.tsx'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import { useConfirmText } from './confirm.text.ts'
import { Lead } from './lead.tsx'
import { sendConfirmCode } from './login.api.ts'
import { ProofForm } from './proof-form.tsx'
import type { Confirm } from './use-confirm.ts'

interface Props {
  ticket: string
  confirm: Confirm
  /** Masked. */
  email: string
}

/** A code mailed to the account's own address. */
export function EmailProof({ ticket, confirm, email }: Props) {
  const text = useConfirmText()
  const [until, setUntil] = useState(0)
  const [sent, setSent] = useState(false)
  const [code, setCode] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const seconds = useCountdown(until)
  useEffect(() => {
    if (sent) input.current?.focus()
  }, [sent])
  const wait = (after: number) => setUntil(Date.now() + after * 1000)
  const send = () =>
    void confirm.attempt(async () => {
      try {
        const ask = (proof?: string) => sendConfirmCode({ ticket, proof })
        wait((await withProofOfWork(ask, confirm.setSolving)).retryAfter)
        setCode('')
        setSent(true)
      } catch (error) {
        wait(retryAfter(error) ?? 0)
        throw error
      }
    })
  const answer = (typed: string) => void confirm.answer({ mine: true, code: typed })
  const edit = (typed: string) => {
    confirm.clearFailure()
    setCode(typed)
    if (typed.length === codeLength && typed !== code) answer(typed)
  }
  const failure = confirm.failure?.message
  const sendWords = seconds > 0 ? text.verifyCode.sendIn(seconds) : text.verifyCode.send
  const words = sent ? text.login.logIn : sendWords
  return (
    <>
      <Lead title={text.confirm.proofTitle} line={sent ? text.verifyCode.sent : text.confirm.emailLead(email)} />
      <ProofForm
        complete={sent ? code.length === codeLength : seconds === 0}
        busy={confirm.busy}
        words={confirm.solving ? text.login.solving : words}
        onSubmit={() => (sent ? answer(code) : send())}
      >
        {sent ? (
          <CodeField
            ref={input}
            label={text.verifyCode.emailCode}
            value={code}
            onChange={edit}
            error={failure}
            aside={<Resend seconds={seconds} busy={confirm.busy} onResend={send} />}
          />
        ) : (
          <ErrorLine message={failure} />
        )}
      </ProofForm>
    </>
  )
}
