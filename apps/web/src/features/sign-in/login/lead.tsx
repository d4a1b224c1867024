import type { ReactNode, Ref } from 'react'
import type { Consent } from './consent.tsx'

/** The props of every sign-in method. */
export interface MethodProps {
  consent: Consent
  bindBox: ReactNode
  firstField: Ref<HTMLInputElement>
  onSignedIn: () => void
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
