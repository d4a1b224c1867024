import type { FactorRequired } from '@hufu/contract/factors'
import type { LoginMethod } from '@hufu/contract/site'
import { createContext, type ReactNode, type Ref, use } from 'react'
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

/** What a client that waits for the sign-in adds to the page. */
export interface ClientRequest {
  /** Names the client. */
  line?: ReactNode
  /** Signing in again is wanted although there is a session; it leads here. */
  again?: string | undefined
  /** What to fill in: a number as `+86 13812345678`, or the account. */
  receiver?: string | undefined
  account?: string | undefined
  method?: LoginMethod | undefined
}

export const ClientRequestContext = createContext<ClientRequest>({})

/** The line is announced when it changes: a code has been sent. */
export function Lead({ title, line }: { title: string; line: string }) {
  return (
    <div className="lead">
      <h1>{title}</h1>
      {use(ClientRequestContext).line}
      <p role="status">{line}</p>
    </div>
  )
}
