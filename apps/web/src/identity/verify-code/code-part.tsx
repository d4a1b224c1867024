import { codeLength } from '@hufu/contract/verify-code-rules'
import { Button } from '../../ui/button.tsx'
import { CodeField } from '../../ui/fields/code-field.tsx'
import { useIdentityText } from '../identity.text.ts'
import { Resend } from './resend.tsx'
import type { CodeSending } from './use-code-sending.ts'

interface Props {
  sending: CodeSending
  /** Whether there is a receiver worth sending to. */
  ready: boolean
  label: string
  code: string
  onCode: (code: string) => void
  error: string | undefined
  /** The label of the submit button, and whether it is busy. */
  go: string
  busy: boolean
}

/** Under the receiver: the send button; then the code, its countdown and the submit button. */
export function CodePart({ sending: state, ready, label, code, onCode, error, go, busy }: Props) {
  const text = useIdentityText()
  const { sent, seconds, sending, solving, send, codeInput } = state
  const sendWords = seconds > 0 ? text.verifyCode.sendIn(seconds) : text.verifyCode.send
  const news = solving ? text.credentials.solving : sent && text.verifyCode.sent
  return (
    <>
      {sent && (
        <CodeField
          ref={codeInput}
          label={label}
          value={code}
          onChange={onCode}
          error={error}
          aside={<Resend seconds={seconds} busy={sending} onResend={send} />}
        />
      )}
      {sent ? (
        <Button type="submit" wide busy={busy} disabled={code.length < codeLength}>
          {go}
        </Button>
      ) : (
        <Button type="submit" wide busy={sending} disabled={!ready || seconds > 0}>
          {solving ? text.credentials.solving : sendWords}
        </Button>
      )}
      <p className="form-note" role="status">
        {news}
      </p>
    </>
  )
}
