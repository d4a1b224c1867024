import { lazy, type ReactNode, Suspense, useState } from 'react'
import { useSite } from '../../../site/site.store.ts'
import { Checkbox } from '../../../ui/fields/checkbox.tsx'
import { useLoginText } from './login.text.ts'

const AgreeFirst = lazy(() => import('./agree-first.tsx'))

export interface Consent {
  /** Also where the site has no agreements. */
  given: boolean
  version: string | undefined
  /** Goes on at once, or after the user has agreed in a dialog. */
  before: (goOn: () => void) => void
  box: ReactNode
  dialog: ReactNode
}

/** Consent to the site's terms, unticked unless it was given a moment before; a new version asks again. */
export function useConsent(before?: string): Consent {
  const text = useLoginText().login
  const agreements = useSite((site) => site.agreements)
  const [agreed, setAgreed] = useState(before)
  const [held, setHeld] = useState<() => void>()
  const version = agreements?.version
  const given = !agreements || agreed === version
  const links = agreements && (
    <>
      <Agreement to={agreements.terms}>{text.terms}</Agreement>
      {text.and}
      <Agreement to={agreements.privacy}>{text.privacy}</Agreement>
    </>
  )
  const goOn = () => {
    setAgreed(version)
    setHeld(undefined)
    held?.()
  }
  return {
    given,
    version,
    before: (run) => (given ? run() : setHeld(() => run)),
    box: links && (
      <Checkbox checked={given} onChange={(checked) => setAgreed(checked ? version : undefined)}>
        {text.agree}
        {links}
      </Checkbox>
    ),
    dialog: held && (
      <Suspense>
        <AgreeFirst links={links} onGo={goOn} onCancel={() => setHeld(undefined)} />
      </Suspense>
    ),
  }
}

function Agreement({ to, children }: { to: string; children: string }) {
  return (
    <a className="link" href={to} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
