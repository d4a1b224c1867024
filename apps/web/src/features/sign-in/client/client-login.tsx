import './client-login.css'
import type { Interaction } from '@hufu/contract/oidc'
import { pages } from '@hufu/contract/pages'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Entry } from '../../../frame/entry.tsx'
import { useDevice } from '../../../lib/device/device.ts'
import { regionOf } from '../../../lib/device/device-rules.ts'
import { interactionIn, interactionQuery, isInteractionOver } from '../../../session/interaction.api.ts'
import { useUser } from '../../../session/profile.api.ts'
import { LoadingScreen } from '../../../site/loading-screen.tsx'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { ClientMark } from '../../../ui/client-mark.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { type ClientRequest, ClientRequestContext } from '../login/lead.tsx'
import { useClientLoginText } from './client-login.text.ts'
import { filledBy } from './sign-in-hint.ts'

interface Props {
  /** The path that continues the sign-in of the client. */
  source: string
  /** The sign-in page. */
  children: ReactNode
}

/** The sign-in page for a client that waits: names it. */
export default function ClientLogin({ source, children }: Props) {
  const { data, error, isPending, refetch } = useQuery(interactionQuery(interactionIn(source)))
  const { waiting } = useUser()
  // While the new session is read the page stays: it is about to leave.
  const [visited, setVisited] = useState(false)
  if (!waiting && !visited) setVisited(true)
  if (isInteractionOver(error)) return <Expired />
  if (isPending || !visited) return <LoadingScreen />
  if (data) return <Named interaction={data}>{children}</Named>
  return (
    <Unnamed message={error?.message ?? ''} onRetry={() => void refetch()}>
      {children}
    </Unnamed>
  )
}

/**
 * Without an answer the page works as ever. But with a session it would leave at once, perhaps to a client that wants a
 * new sign-in and leads back here, in a loop.
 */
function Unnamed({ message, onRetry, children }: { message: string; onRetry: () => void; children: ReactNode }) {
  const text = useClientLoginText()
  const { user } = useUser()
  const [signedIn] = useState(user !== undefined)
  if (!signedIn) return children
  return (
    <Entry beside>
      <div className="lead">
        <h1>{text.failed}</h1>
      </div>
      <div role="alert">
        <Notice kind="bad">{message}</Notice>
      </div>
      <Button wide onClick={onRetry}>
        {text.tryAgain}
      </Button>
    </Entry>
  )
}

function Named({ interaction, children }: { interaction: Interaction; children: ReactNode }) {
  const { client, step, hint, resume } = interaction
  const { user } = useUser()
  const device = useDevice()
  // Decided once: after the new sign-in there is a user as well.
  const [request] = useState<ClientRequest>(() => {
    const again = step === 'login' && user !== undefined
    const prefixes = [regionOf(device), ...device.regions].map(({ prefix }) => prefix)
    const known = again && user.mobile ? `+${user.mobilePrefix} ${user.mobile}` : null
    return {
      line: <Line client={client} again={again} />,
      again: again ? resume : undefined,
      ...filledBy(hint ?? known, prefixes),
    }
  })
  return <ClientRequestContext value={request}>{children}</ClientRequestContext>
}

function Line({ client, again }: Pick<Interaction, 'client'> & { again: boolean }) {
  const text = useClientLoginText()
  return (
    <>
      <p className="returns-to">
        <ClientMark client={client} size="small" />
        <span>
          {text.returnsTo} <b>{client.name}</b>
        </span>
      </p>
      {again && <p>{text.again}</p>}
    </>
  )
}

function Expired() {
  const text = useClientLoginText()
  return (
    <Entry beside>
      <div className="lead">
        <h1>{text.expired}</h1>
        <p>{text.expiredLead}</p>
      </div>
      <Notice>{text.expiredNext}</Notice>
      <ButtonLink wide to={pages.user}>
        {text.toAccount}
      </ButtonLink>
    </Entry>
  )
}
