import type { FactorRequired } from '@hufu/contract/factors'
import type { ReactNode, Ref } from 'react'
import type { Consent } from './consent.tsx'

/** The props of every sign-in method. */
export interface MethodProps {
  consent: Consent
  bindBox: ReactNode
  firstField: Ref<HTMLInputElement>
  /** Whether the browser may suggest passkeys in the first field. */
  passkeys: boolean
  onSignedIn: () => void
  /** The account is protected: a second step follows. */
  onFactor: (required: FactorRequired) => void
}

/** The line is announced when it changes: a code has been sent. */
export function Lead({ title, line }: { title: string; line: string }) {
  return (
    <div className="lead">
      <h1>{title}</h1>
      <p role="status">{line}</p>
    </div>
  )
}
