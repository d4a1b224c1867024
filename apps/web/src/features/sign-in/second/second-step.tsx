import './second-step.css'
import type { FactorRequired } from '@hufu/contract/factors'
import { pages } from '@hufu/contract/pages'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link } from 'react-router'
import { FactorForm } from '../../../identity/factor/factor-form.tsx'
import { useFactor } from '../../../identity/factor/use-factor.ts'
import { CallError } from '../../../lib/call/call.ts'
import { Avatar } from '../../../ui/avatar.tsx'
import { Button } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/fields/checkbox.tsx'
import { ErrorLine } from '../../../ui/fields/field.tsx'
import { Skeleton } from '../../../ui/waiting.tsx'
import { Lead } from '../login/lead.tsx'
import { factorTicketQuery, fetchPasskeyOptions, loginByFactor } from './second-step.api.ts'
import { useSecondStepText } from './second-step.text.ts'

interface Props {
  ticket: string
  onSignedIn: () => void
  /** Back to the beginning, with the code of the reason if there is one. */
  onBack: (reason?: string) => void
}

const reasonOf = (error: Error | null) => (error instanceof CallError ? error.code : undefined)

/** The second step of signing in to a protected account. */
export default function SecondStep({ ticket, onSignedIn, onBack }: Props) {
  const text = useSecondStepText()
  const { data, error, refetch } = useQuery(factorTicketQuery(ticket))
  const reason = reasonOf(error)
  const expired = reason === 'FACTOR_EXPIRED' || reason === 'INPUT_INVALID'
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it turns out
  useEffect(() => {
    if (expired) onBack('FACTOR_EXPIRED')
  }, [expired])
  // The form that had the focus is gone: screen readers go on at the new heading.
  useEffect(() => document.getElementById('main')?.focus(), [])
  return (
    <>
      <Lead title={text.title} line={text.lead} />
      {data && <Known ticket={ticket} known={data} onSignedIn={onSignedIn} onBack={onBack} />}
      {!data && !error && <Skeleton label={text.waiting} rows={2} />}
      {!data && error && !expired && (
        <>
          <ErrorLine message={error.message} />
          <Button kind="soft" wide onClick={() => void refetch()}>
            {text.tryAgain}
          </Button>
        </>
      )}
    </>
  )
}

function Known({ ticket, known, onSignedIn, onBack }: Props & { known: Omit<FactorRequired, 'ticket'> }) {
  const text = useSecondStepText()
  const [trusted, setTrusted] = useState(false)
  const factor = useFactor({
    passkeyOptions: fetchPasskeyOptions,
    give: (given, proof) => loginByFactor({ ticket, ...given, ...(trusted && { trust: true }), proof }),
    onProved: onSignedIn,
    onExpired: () => onBack('FACTOR_EXPIRED'),
  })
  const trustBox = known.trust && (
    <Checkbox checked={trusted} onChange={setTrusted}>
      {text.trust}
      <span className="trust-hint">{text.trustHint}</span>
    </Checkbox>
  )
  return (
    <>
      <div className="person-line">
        <Avatar name={known.name} />
        <b>{known.name}</b>
        <Button kind="text" onClick={() => onBack()}>
          {text.otherAccount}
        </Button>
      </div>
      <FactorForm ways={known.ways} factor={factor} box={trustBox}>
        <div className="factors-lost">
          {text.lost}
          <Link className="link" to={pages.recover} state={{ purpose: 'factor' }}>
            {text.recover}
          </Link>
        </div>
      </FactorForm>
    </>
  )
}
