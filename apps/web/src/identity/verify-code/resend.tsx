import './resend.css'
import { useIdentityText } from '../identity.text.ts'

interface Props {
  seconds: number
  busy: boolean
  onResend: () => void
}

/** Beside the code's label: the remaining wait, then the resend button. */
export function Resend({ seconds, busy, onResend }: Props) {
  const text = useIdentityText().verifyCode
  if (seconds > 0) return <span className="resend">{text.resendIn(seconds)}</span>
  return (
    <button type="button" className="resend" aria-disabled={busy || undefined} onClick={busy ? undefined : onResend}>
      {busy ? text.sending : text.resend}
    </button>
  )
}
