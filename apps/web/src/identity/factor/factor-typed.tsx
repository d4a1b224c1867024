import { codeLength } from '@hufu/contract/verify-code-rules'
import { type ReactNode, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { CodeField } from '../../ui/fields/code-field.tsx'
import { Field } from '../../ui/fields/field.tsx'
import { useIdentityText } from '../identity.text.ts'
import { useFactorText } from './factor.text.ts'
import { ProveForm } from './prove-form.tsx'
import { recoveryCharacters, shownRecovery } from './recovery-text.ts'
import type { Factor } from './use-factor.ts'

interface Props {
  factor: Factor
  box: ReactNode
}

/** Six digits of an authenticator; the last one submits. */
export function TotpForm({ factor, box }: Props) {
  const text = useFactorText()
  const [code, setCode] = useState('')
  const input = useRef<HTMLInputElement>(null)
  async function give(typed: string) {
    if (await factor.giveTyped('totp', typed)) return
    input.current?.focus()
    input.current?.select()
  }
  const edit = (typed: string) => {
    factor.clearFailure()
    setCode(typed)
    if (typed.length === codeLength && typed !== code) void give(typed)
  }
  const complete = code.length === codeLength
  return (
    <ProveForm typed onSubmit={() => void (complete && give(code))}>
      <CodeField ref={input} label={text.totp} value={code} onChange={edit} error={factor.wrong('totp')} />
      {box}
      <Submit factor={factor} way="totp" complete={complete} />
    </ProveForm>
  )
}

/** One of the codes that were saved when the protection began. */
export function RecoveryForm({ factor, box }: Props) {
  const text = useFactorText()
  const [code, setCode] = useState('')
  const edit = (typed: string) => {
    factor.clearFailure()
    setCode(shownRecovery(typed))
  }
  const complete = code.replaceAll('-', '').length === recoveryCharacters
  return (
    <ProveForm typed onSubmit={() => void (complete && factor.giveTyped('recovery', code))}>
      <Field label={text.recovery} hint={text.recoveryHint} error={factor.wrong('recovery')}>
        {(control) => (
          <div className="box">
            <input
              {...control}
              className="recovery-code"
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              placeholder={text.recoveryPlaceholder}
              value={code}
              onChange={(event) => edit(event.target.value)}
            />
          </div>
        )}
      </Field>
      {box}
      <Submit factor={factor} way="recovery" complete={complete} />
    </ProveForm>
  )
}

function Submit({ factor, way, complete }: { factor: Factor; way: 'totp' | 'recovery'; complete: boolean }) {
  const text = useFactorText()
  const { credentials } = useIdentityText()
  return (
    <>
      <Button type="submit" wide busy={factor.busy === way} disabled={!complete || factor.paused}>
        {factor.solving ? credentials.solving : text.verify}
      </Button>
      <span className="unseen" role="status">
        {factor.solving && credentials.solving}
      </span>
    </>
  )
}
