import './totp.css'
import { pages } from '@hufu/contract/pages'
import { codeLength } from '@hufu/contract/verify-code-rules'
import { Info } from 'lucide-react'
import { useRef, useState } from 'react'
import { useGoBack } from '../../../lib/history/go-back.ts'
import { useSite } from '../../../site/site.store.ts'
import { Button } from '../../../ui/button.tsx'
import { CodeField } from '../../../ui/fields/code-field.tsx'
import { FormCard } from '../../../ui/fields/form-card.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useFailureWords } from '../failure-words.ts'
import { confirmTotp, useFactorChange, useNewCodes } from '../protection.api.ts'
import { useProtectionText } from '../protection.text.ts'

interface Props {
  enrolment: string | undefined
  onBack: () => void
}

/** A code of the app proves that it has the secret; the sixth digit submits. */
export function TotpCodeStep({ enrolment, onBack }: Props) {
  const text = useProtectionText().totp
  const site = useSite((known) => known.name)
  const goBack = useGoBack(pages.protection)
  const words = useFailureWords()
  const { keep } = useNewCodes()
  const field = useRef<HTMLInputElement>(null)
  const [code, setCode] = useState('')
  const { go, busy, error, reset } = useFactorChange({
    make: async (typed: string) => {
      const { recoveryCodes } = await confirmTotp(typed, enrolment).catch((failure) => {
        field.current?.select()
        throw failure
      })
      if (recoveryCodes) keep({ codes: recoveryCodes, because: 'enabled' })
      return recoveryCodes
    },
    onDone: (codes) => {
      if (codes) return
      showToast('good', text.added)
      goBack(1)
    },
  })
  const type = (typed: string) => {
    if (busy) return
    reset()
    setCode(typed)
    if (typed.length === codeLength && typed !== code) go(typed)
  }
  return (
    <>
      <FormCard onSubmit={() => code.length === codeLength && !busy && go(code)}>
        <div className="protection-head">
          <h2>{text.codeTitle}</h2>
          <p>{text.codeLead(site)}</p>
        </div>
        <CodeField ref={field} label={text.code} value={code} onChange={type} error={words(error, text.wrong)} />
        <div className="protection-acts">
          <Button type="submit" wide busy={busy} disabled={code.length < codeLength}>
            {text.confirm}
          </Button>
          <Button kind="text" onClick={onBack}>
            {text.back}
          </Button>
        </div>
      </FormCard>
      <p className="protection-tip">
        <Info />
        <span>{text.clock}</span>
      </p>
    </>
  )
}
