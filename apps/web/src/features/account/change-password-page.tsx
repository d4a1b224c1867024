import { passwordProblems } from '@hufu/contract/account-rules'
import { pages } from '@hufu/contract/pages'
import { useState } from 'react'
import { PasswordRules, type TypedPassword } from '../../identity/new-password/password-rules.tsx'
import { useKeptInput } from '../../identity/step-up/kept-input.ts'
import { type Failure, failureOf } from '../../lib/call/failure.ts'
import { useUser } from '../../session/profile.api.ts'
import { Button } from '../../ui/button.tsx'
import { FormCard } from '../../ui/fields/form-card.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { changePassword } from './account.api.ts'
import { useAccountText } from './account.text.ts'
import { AccountPage } from './account-page.tsx'
import { useChange } from './use-change.ts'

export default function ChangePasswordPage() {
  const text = useAccountText().password
  const { user } = useUser()
  // Of the moment in which the page was opened: it doesn't change its name when the change is made.
  const [first] = useState(user?.password === false)
  return (
    <AccountPage title={first ? text.firstTitle : text.title} lead={first ? text.firstLead : text.lead}>
      <PasswordForm />
    </AccountPage>
  )
}

function PasswordForm() {
  const text = useAccountText()
  const { user } = useUser()
  const [typed, setTyped] = useKeptInput<TypedPassword>(pages.changePassword, () => ({ password: '', repeated: '' }))
  const [failure, setFailure] = useState<Failure<'password'>>()
  const change = useChange({ onRefused: (error) => setFailure(failureOf(error, 'password')) })
  const { password, repeated } = typed
  const ready = passwordProblems(password, repeated).length === 0
  const edit = (part: Partial<TypedPassword>) => {
    setFailure(undefined)
    setTyped({ ...typed, ...part })
  }
  const submit = () => {
    if (!ready) return
    setFailure(undefined)
    change.make(() => changePassword({ password }), { password: true })
  }
  return (
    <FormCard onSubmit={submit}>
      {/* Password managers keep the password under this name. */}
      <input hidden readOnly autoComplete="username" value={user?.username ?? user?.email ?? user?.mobile ?? ''} />
      <PasswordField
        label={text.password.label}
        labelled
        fresh
        placeholder={text.password.placeholder}
        value={password}
        onChange={(typedPassword) => edit({ password: typedPassword })}
        error={failure?.message}
      />
      <PasswordField
        label={text.password.repeatLabel}
        labelled
        fresh
        placeholder={text.password.repeatPlaceholder}
        value={repeated}
        onChange={(typedPassword) => edit({ repeated: typedPassword })}
      />
      <PasswordRules typed={typed} />
      {ready && (
        <Button type="submit" wide busy={change.busy}>
          {text.confirm}
        </Button>
      )}
      <span className="unseen" role="status">
        {ready && text.password.ready}
      </span>
    </FormCard>
  )
}
