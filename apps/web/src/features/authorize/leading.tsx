import { pages } from '@hufu/contract/pages'
import { type UseQueryResult, useQueryClient } from '@tanstack/react-query'
import { CloudOff, ShieldX } from 'lucide-react'
import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { Frame } from '../../frame/frame.tsx'
import { CallError } from '../../lib/call/call.ts'
import { isOwnPage } from '../../session/login-source.ts'
import { visitorQuery } from '../../session/profile.api.ts'
import { LoadingScreen } from '../../site/loading-screen.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { useAuthorizeText } from './authorize.text.ts'

/** Shows the brand while the answer is on its way, goes where it leads, and says why it leads nowhere. */
export function Leading({ query: { data, error, isFetching, refetch } }: { query: UseQueryResult<string> }) {
  useGo(data)
  if (!error || isFetching) return <LoadingScreen />
  return <Failed error={error} onRetry={() => void refetch()} />
}

/** Replaces this page: going back must not return here. */
function useGo(address: string | undefined) {
  const navigate = useNavigate()
  const client = useQueryClient()
  useEffect(() => {
    if (address === undefined) return
    // The server has no session: if the sign-in page still had a cached user, it would lead back here at once, in a loop.
    if (address.startsWith(`${pages.login}/`)) void client.resetQueries({ queryKey: visitorQuery.queryKey })
    if (isOwnPage(address)) void navigate(address, { replace: true })
    else window.location.replace(address)
  }, [address, client, navigate])
}

function Failed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const text = useAuthorizeText()
  const passes = isRetryable(error)
  return (
    <Frame title={text.failed}>
      <Empty icon={passes ? CloudOff : ShieldX} message={error.message}>
        {passes && (
          <Button kind="soft" onClick={onRetry}>
            {text.tryAgain}
          </Button>
        )}
        <ButtonLink to={pages.home} kind={passes ? 'text' : 'soft'}>
          {text.home}
        </ButtonLink>
      </Empty>
    </Frame>
  )
}

/** No network, or a server that has too much to do: worth another try. */
const isRetryable = (error: Error) => error instanceof CallError && (error.status === undefined || error.status >= 429)
