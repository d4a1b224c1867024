import { ArrowBigUp, Eye, EyeOff } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react'
import { CallError, call } from '../../lib/call.ts'
import { useAboveKeyboard } from '../../lib/use-above-keyboard.ts'
import { useText } from '../../lib/text.ts'
import { withProof } from '../../lib/with-proof.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Lead, type MethodProps } from './lead.tsx'
import { type Failure, failureOf, messageFor } from './login-failure.ts'

const fieldOf = (error: unknown) =>
  error instanceof CallError && error.details?.field === 'account' ? 'account' : 'password'

export function PasswordForm({ consent, bindBox, firstField, onSignedIn }: MethodProps) {
  const text = useText().login
  const [account, setAccount] = useState('')
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [solving, setSolving] = useState(false)
  const [failure, setFailure] = useState<Failure<'account' | 'password'>>()
  const form = useRef<HTMLFormElement>(null)
  useAboveKeyboard(form)

  async function login() {
    setBusy(true)
    setFailure(undefined)
    const payload = { account: account.trim(), password, agreements: consent.version }
    try {
      await withProof((proof) => call('/api/login/password', { ...payload, proof }), setSolving)
      onSignedIn()
    } catch (error) {
      setFailure(failureOf(error, fieldOf(error)))
    } finally {
      setBusy(false)
    }
  }
  const edit = (set: (text: string) => void) => (typed: string) => {
    setFailure(undefined)
    set(typed)
  }
  const complete = account.trim() !== '' && password !== ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (complete && !busy) consent.before(() => void login())
  }
  return (
    <>
      <Lead title={text.byPassword} line={text.passwordLead} />
      <form ref={form} className="login-form" noValidate onSubmit={submit}>
        <Field label={text.account} quiet error={messageFor(failure, 'account')}>
          {(control) => (
            <div className="box">
              <input
                {...control}
                ref={firstField}
                autoComplete="username"
                autoCapitalize="none"
                spellCheck={false}
                placeholder={text.accountPlaceholder}
                value={account}
                onChange={(event) => edit(setAccount)(event.target.value)}
              />
            </div>
          )}
        </Field>
        <PasswordField value={password} onChange={edit(setPassword)} error={messageFor(failure, 'password')} />
        {consent.box}
        {bindBox}
        <Button type="submit" wide busy={busy} disabled={!complete}>
          {solving ? text.solving : text.logIn}
        </Button>
        <span className="unseen" role="status">
          {solving && text.solving}
        </span>
      </form>
    </>
  )
}

interface PasswordProps {
  value: string
  onChange: (password: string) => void
  error: string | undefined
}

export function PasswordField({ value, onChange, error }: PasswordProps) {
  const text = useText().login
  const [shown, setShown] = useState(false)
  const [capsLock, setCapsLock] = useState(false)
  const watchCapsLock = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'))
  return (
    <div className="password">
      <Field label={text.password} quiet error={error}>
        {(control) => (
          <div className="box">
            <input
              {...control}
              type={shown ? 'text' : 'password'}
              autoComplete="current-password"
              autoCapitalize="none"
              spellCheck={false}
              placeholder={text.passwordPlaceholder}
              value={value}
              onChange={(event) => onChange(event.target.value)}
              onKeyDown={watchCapsLock}
              onKeyUp={watchCapsLock}
              onBlur={() => setCapsLock(false)}
            />
            <IconButton
              label={shown ? text.hidePassword : text.showPassword}
              aria-pressed={shown}
              onClick={() => setShown(!shown)}
            >
              {shown ? <EyeOff /> : <Eye />}
            </IconButton>
          </div>
        )}
      </Field>
      {capsLock && (
        <p className="caps-lock" role="status">
          <ArrowBigUp />
          {text.capsLock}
        </p>
      )}
    </div>
  )
}
