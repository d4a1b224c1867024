import { type FormEvent, use, useRef, useState } from 'react'
import { CallError } from '../../../lib/call/call.ts'
import { type Failure, failureOf, messageFor } from '../../../lib/call/failure.ts'
import { withProofOfWork } from '../../../lib/call/with-proof-of-work.ts'
import { useAboveKeyboard } from '../../../lib/use-above-keyboard.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/fields/field.tsx'
import { PasswordField } from '../../../ui/fields/password-field.tsx'
import { ClientRequestContext, Lead, type MethodProps } from './lead.tsx'
import { factorIn, loginByPassword } from './login.api.ts'
import { useLoginText } from './login.text.ts'

const fieldOf = (error: unknown) =>
  error instanceof CallError && error.details?.field === 'account' ? 'account' : 'password'

export function PasswordForm({ consent, bindBox, firstField, passkeys, onSignedIn, onFactor }: MethodProps) {
  const text = useLoginText().login
  const [account, setAccount] = useState(use(ClientRequestContext).account ?? '')
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
      await withProofOfWork((proof) => loginByPassword({ ...payload, proof }), setSolving)
      onSignedIn()
    } catch (error) {
      const factor = factorIn(error)
      if (factor) onFactor(factor)
      else setFailure(failureOf(error, fieldOf(error)))
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
      <Lead title={text.methods.password} line={text.passwordLead} />
      <form ref={form} className="login-form" noValidate onSubmit={submit}>
        <Field label={text.account} quiet error={messageFor(failure, 'account')}>
          {(control) => (
            <div className="box">
              <input
                {...control}
                ref={firstField}
                autoComplete={passkeys ? 'username webauthn' : 'username'}
                autoCapitalize="none"
                spellCheck={false}
                placeholder={text.accountPlaceholder}
                value={account}
                onChange={(event) => edit(setAccount)(event.target.value)}
              />
            </div>
          )}
        </Field>
        <PasswordField
          label={text.password}
          placeholder={text.passwordPlaceholder}
          value={password}
          onChange={edit(setPassword)}
          error={messageFor(failure, 'password')}
        />
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
