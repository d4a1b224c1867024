import { usernameRule } from '@hufu/contract/account-rules'
import { pages } from '@hufu/contract/pages'
import { useState } from 'react'
import { useKeptInput } from '../../identity/step-up/kept-input.ts'
import { type Failure, failureOf } from '../../lib/call/failure.ts'
import { useUser } from '../../session/profile.api.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { FormCard } from '../../ui/fields/form-card.tsx'
import { changeUsername } from './account.api.ts'
import { useAccountText } from './account.text.ts'
import { AccountPage, Current } from './account-page.tsx'
import { useChange } from './use-change.ts'

export default function ChangeUsernamePage() {
  const text = useAccountText().username
  return (
    <AccountPage title={text.title} lead={text.lead}>
      <UsernameForm />
    </AccountPage>
  )
}

function UsernameForm() {
  const text = useAccountText()
  const { user } = useUser()
  const [username, setUsername] = useKeptInput(pages.changeUsername, () => '')
  const [failure, setFailure] = useState<Failure<'username'>>()
  const change = useChange({ onRefused: (error) => setFailure(failureOf(error, 'username')) })
  const wanted = username.trim()
  const edit = (typed: string) => {
    setFailure(undefined)
    setUsername(typed)
  }
  const submit = () => {
    if (wanted === '') return
    setFailure(undefined)
    change.make(() => changeUsername({ username: wanted }), { username: wanted })
  }
  return (
    <FormCard onSubmit={submit}>
      <Current label={text.username.current} value={user?.username} />
      <Field label={text.username.label} hint={usernameRule} error={failure?.message}>
        {(control) => (
          <div className="box">
            <input
              {...control}
              autoComplete="username"
              autoCapitalize="none"
              spellCheck={false}
              placeholder={text.username.placeholder}
              value={username}
              onChange={(event) => edit(event.target.value)}
            />
          </div>
        )}
      </Field>
      <Button type="submit" wide busy={change.busy} disabled={wanted === ''}>
        {text.confirm}
      </Button>
    </FormCard>
  )
}
