import { pages } from '@hufu/contract/pages'
import { codeLength } from '@hufu/contract/verify-code-rules'
import { type FormEvent, useRef } from 'react'
import { Link } from 'react-router'
import { MobileField } from '../../../identity/verify-code/mobile-field.tsx'
import type { MobileNumber } from '../../../identity/verify-code/mobile-receiver.ts'
import { Resend } from '../../../identity/verify-code/resend.tsx'
import { type Failure, messageFor } from '../../../lib/call/failure.ts'
import { isPlausible } from '../../../lib/mobile-number.ts'
import { useAboveKeyboard } from '../../../lib/use-above-keyboard.ts'
import { useSite } from '../../../site/site.store.ts'
import { Button } from '../../../ui/button.tsx'
import { CodeField } from '../../../ui/fields/code-field.tsx'
import { Lead, type MethodProps } from './lead.tsx'
import { useLoginText } from './login.text.ts'
import { useMobileLogin } from './use-mobile-login.ts'

interface Props extends MethodProps {
  number: MobileNumber
  onNumber: (number: MobileNumber) => void
  /** Why the user is back at the beginning. */
  startFailure: Failure<'mobile'> | undefined
  onConfirm: (ticket: string) => void
}

export function MobileForm({ number, onNumber, firstField, bindBox, ...rest }: Props) {
  const text = useLoginText()
  const open = useSite((site) => site.registration === 'open')
  const state = useMobileLogin({ number, ...rest })
  const { sent, seconds, code, busy, solving, failure } = state
  const form = useRef<HTMLFormElement>(null)
  useAboveKeyboard(form)
  const before = open ? text.login.createsAccount : text.login.mobileLead
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!sent) return isPlausible(number.mobile) ? state.send() : undefined
    if (code.length === codeLength) state.login()
  }
  const edit = (changed: MobileNumber) => {
    state.clearFailure()
    onNumber(changed)
  }
  const sendWords = seconds > 0 ? text.verifyCode.sendIn(seconds) : text.verifyCode.send
  return (
    <>
      <Lead title={text.login.methods.mobile} line={sent ? text.verifyCode.sent : before} />
      <form ref={form} className="login-form" noValidate onSubmit={submit}>
        <MobileField
          ref={firstField}
          passkeys={rest.passkeys}
          value={number}
          onChange={edit}
          settled={sent}
          error={messageFor(failure, 'mobile')}
        />
        {sent && (
          <CodeField
            ref={state.codeInput}
            label={text.verifyCode.smsCode}
            value={code}
            onChange={state.typeCode}
            error={messageFor(failure, 'code')}
            aside={<Resend seconds={seconds} busy={busy === 'send'} onResend={state.send} />}
          />
        )}
        {rest.consent.box}
        {bindBox}
        {sent ? (
          <Button type="submit" wide busy={busy === 'login'} disabled={code.length < codeLength}>
            {solving && busy === 'login' ? text.login.solving : text.login.logIn}
          </Button>
        ) : (
          <Button type="submit" wide busy={busy === 'send'} disabled={!isPlausible(number.mobile) || seconds > 0}>
            {solving ? text.login.solving : sendWords}
          </Button>
        )}
        <span className="unseen" role="status">
          {solving && text.login.solving}
        </span>
        <Link className="number-lost" to={pages.recover}>
          {text.login.numberLost}
        </Link>
      </form>
    </>
  )
}
