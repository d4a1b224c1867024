import { pages } from '@hufu/contract/pages'
import { codeLength } from '@hufu/contract/verify-code-rules'
import { useState } from 'react'
import { useIdentityText } from '../../identity/identity.text.ts'
import { useKeptInput } from '../../identity/step-up/kept-input.ts'
import { CodePart } from '../../identity/verify-code/code-part.tsx'
import { useCodeSending } from '../../identity/verify-code/use-code-sending.ts'
import { type Failure, failureOf, isAboutReceiver, messageFor } from '../../lib/call/failure.ts'
import { useUser } from '../../session/profile.api.ts'
import { lastReceiver, noteUsed } from '../../session/sent-codes.ts'
import { Field } from '../../ui/fields/field.tsx'
import { FormCard } from '../../ui/fields/form-card.tsx'
import { changeEmail, sendEmailCode } from './account.api.ts'
import { useAccountText } from './account.text.ts'
import { AccountPage, Current } from './account-page.tsx'
import { useChange } from './use-change.ts'

/** As the server writes addresses. */
const cleanEmail = (typed: string) => typed.normalize('NFKC').trim().toLowerCase()

export default function ChangeEmailPage() {
  const text = useAccountText()
  return (
    <AccountPage title={text.email.title} lead={text.atOnce}>
      <EmailForm />
    </AccountPage>
  )
}

function EmailForm() {
  const text = useAccountText()
  const { verifyCode } = useIdentityText()
  const { user } = useUser()
  const [typed, setTyped] = useKeptInput(pages.changeEmail, () => ({
    email: lastReceiver('authorize') ?? '',
    code: '',
  }))
  const [failure, setFailure] = useState<Failure<'email' | 'code'>>()
  const email = cleanEmail(typed.email)
  const refuse = (error: unknown) =>
    setFailure(failureOf(error, sending.sent && !isAboutReceiver(error) ? 'code' : 'email'))
  const change = useChange({ onRefused: refuse })
  const sending = useCodeSending({
    receiver: email,
    purpose: 'authorize',
    ask: (proof) => {
      setFailure(undefined)
      return sendEmailCode({ email, type: 'authorize', proof })
    },
    onSent: () => setTyped((before) => ({ ...before, code: '' })),
    onRefused: refuse,
  })
  const edit = (part: Partial<typeof typed>) => {
    setFailure(undefined)
    setTyped({ ...typed, ...part })
  }
  async function confirm() {
    await changeEmail({ email, code: typed.code })
    noteUsed(email)
  }
  const plausible = /.@./.test(email)
  const submit = () => {
    if (!sending.sent) return plausible ? sending.send() : undefined
    if (typed.code.length < codeLength) return
    setFailure(undefined)
    change.make(confirm, { email })
  }
  return (
    <FormCard onSubmit={submit}>
      <Current label={text.email.current} value={user?.email} />
      <Field label={text.email.label} error={messageFor(failure, 'email')}>
        {(control) => (
          <div className="box">
            <input
              {...control}
              inputMode="email"
              autoComplete="email"
              autoCapitalize="none"
              spellCheck={false}
              placeholder={text.email.placeholder}
              value={typed.email}
              onChange={(event) => edit({ email: event.target.value })}
            />
          </div>
        )}
      </Field>
      <CodePart
        sending={sending}
        ready={plausible}
        label={verifyCode.emailCode}
        code={typed.code}
        onCode={(code) => edit({ code })}
        error={messageFor(failure, 'code')}
        go={text.confirm}
        busy={change.busy}
      />
    </FormCard>
  )
}
