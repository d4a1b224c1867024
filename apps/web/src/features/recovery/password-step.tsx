import { useState } from 'react'
import { useIdentityText } from '../../identity/identity.text.ts'
import { CallError } from '../../lib/call/call.ts'
import { messageFor } from '../../lib/call/failure.ts'
import { withProofOfWork } from '../../lib/call/with-proof-of-work.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { FormCard } from '../../ui/fields/form-card.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { BackButton } from './back-button.tsx'
import type { Progress } from './progress.ts'
import { openRecovery } from './recovery.api.ts'
import { useRecoveryText } from './recovery.text.ts'
import { StepHead } from './step-head.tsx'
import { Support } from './support.tsx'
import { useAttempt } from './use-attempt.ts'

export interface Typed {
  account: string
  password: string
}

interface Props {
  typed: Typed
  onTyped: (typed: Typed) => void
  /** Why the user is here again. */
  word: string | undefined
  onOpened: (progress: Progress) => void
  onBack: () => void
}

const fieldOf = (error: unknown) =>
  error instanceof CallError && error.details?.field === 'account' ? 'account' : 'password'

/** The first proof. What the server says of an account without contacts stands apart: no other password would help. */
export function PasswordStep({ typed, onTyped, word, onOpened, onBack }: Props) {
  const text = useRecoveryText()
  const { credentials } = useIdentityText()
  const [solving, setSolving] = useState(false)
  const { busy, failure, refuse, clearFailure, attempt } = useAttempt<'account' | 'password'>(
    () => undefined,
    text.password.refusals,
  )
  const account = typed.account.trim()
  const complete = account !== '' && typed.password !== ''
  const edit = (part: Partial<Typed>) => {
    clearFailure()
    onTyped({ ...typed, ...part })
  }
  const ask = (proof?: string) => openRecovery({ account, password: typed.password, proof })
  const open = () =>
    attempt(
      async () => onOpened(await withProofOfWork(ask, setSolving)),
      (error) => refuse(error, fieldOf(error)),
    )
  const helpless = failure?.code === 'RECOVERY_CONTACT'
  return (
    <>
      <StepHead step={2} title={text.password.title} lead={text.password.lead} />
      {word && (
        <div role="alert">
          <Notice kind="warn">{word}</Notice>
        </div>
      )}
      <FormCard inside onSubmit={() => complete && open()}>
        <Field label={credentials.account} quiet error={messageFor(failure, 'account')}>
          {(control) => (
            <div className="box">
              <input
                {...control}
                autoComplete="username"
                autoCapitalize="none"
                spellCheck={false}
                placeholder={credentials.accountPlaceholder}
                value={typed.account}
                onChange={({ target }) => edit({ account: target.value })}
              />
            </div>
          )}
        </Field>
        <PasswordField
          label={credentials.password}
          placeholder={credentials.passwordPlaceholder}
          value={typed.password}
          onChange={(password) => edit({ password })}
          error={helpless ? undefined : messageFor(failure, 'password')}
        />
        {helpless && (
          <div role="alert">
            <Support>{failure.message}</Support>
          </div>
        )}
        <Button type="submit" wide busy={busy} disabled={!complete}>
          {solving ? credentials.solving : text.password.next}
        </Button>
        <span className="unseen" role="status">
          {solving && credentials.solving}
        </span>
      </FormCard>
      <div className="recover-foot">
        <BackButton onBack={onBack} />
      </div>
    </>
  )
}
