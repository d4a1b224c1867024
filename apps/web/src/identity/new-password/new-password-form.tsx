import { passwordProblems } from '@hufu/contract/account-rules'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { FormCard } from '../../ui/fields/form-card.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { PasswordRules, type TypedPassword } from './password-rules.tsx'

interface Props {
  label: string
  placeholder: string
  repeatLabel: string
  repeatPlaceholder: string
  go: string
  busy: boolean
  error: string | undefined
  onSubmit: (password: string) => void
}

/** A new password, typed twice, with the password rules. */
export function NewPasswordForm({
  label,
  placeholder,
  repeatLabel,
  repeatPlaceholder,
  go,
  busy,
  error,
  onSubmit,
}: Props) {
  const [typed, setTyped] = useState<TypedPassword>({ password: '', repeated: '' })
  const [refused, setRefused] = useState<string>()
  const ready = passwordProblems(typed.password, typed.repeated).length === 0
  const field = { labelled: true, fresh: true } as const
  return (
    <FormCard
      inside
      onSubmit={() => {
        if (!ready) return
        setRefused(typed.password)
        onSubmit(typed.password)
      }}
    >
      <PasswordField
        {...field}
        label={label}
        placeholder={placeholder}
        value={typed.password}
        onChange={(password) => setTyped({ ...typed, password })}
        error={refused === typed.password ? error : undefined}
      />
      <PasswordField
        {...field}
        label={repeatLabel}
        placeholder={repeatPlaceholder}
        value={typed.repeated}
        onChange={(repeated) => setTyped({ ...typed, repeated })}
      />
      <PasswordRules typed={typed} />
      <Button type="submit" wide busy={busy} disabled={!ready}>
        {go}
      </Button>
    </FormCard>
  )
}
