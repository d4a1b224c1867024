import '../../../ui/badge.css'
import './authorizations.css'
import type { Authorization } from '@hufu/contract/oidc'
import { pages } from '@hufu/contract/pages'
import { useQuery } from '@tanstack/react-query'
import { CloudOff, Globe } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Frame } from '../../../frame/frame.tsx'
import { useGoBack } from '../../../lib/history/go-back.ts'
import { useNow } from '../../../lib/time/use-now.ts'
import { useAskAgain } from '../../../lib/use-ask-again.ts'
import { useUser } from '../../../session/profile.api.ts'
import { useSite } from '../../../site/site.store.ts'
import { Button } from '../../../ui/button.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { AuthorizationBones } from './authorization-bones.tsx'
import { AuthorizationCard } from './authorization-card.tsx'
import { authorizationsQuery } from './authorizations.api.ts'
import { useAuthorizationsText } from './authorizations.text.ts'
import { RevokeSheet } from './revoke-sheet.tsx'

/** The sites that the user has signed in to with this account. */
export default function AuthorizationsPage() {
  const text = useAuthorizationsText().list
  const site = useSite(({ name }) => name)
  const { list, trouble, askAgain } = useAuthorizations()
  const goBack = useGoBack(pages.privacy)
  return (
    <Frame title={text.title} onBack={() => goBack(1)}>
      {list?.length !== 0 && <p className="authorizations-lead">{text.lead(site)}</p>}
      {trouble && (
        <Empty icon={CloudOff} message={trouble}>
          <Button kind="soft" onClick={askAgain}>
            {text.tryAgain}
          </Button>
        </Empty>
      )}
      {!list && !trouble && <AuthorizationBones />}
      {list?.length === 0 && <Empty icon={Globe} title={text.empty} message={text.emptyHint} />}
      {list && <Listed list={list} />}
    </Frame>
  )
}

function useAuthorizations() {
  const { user } = useUser()
  const query = authorizationsQuery(user?.id ?? '')
  const { data, failureReason } = useQuery(query)
  return {
    list: data?.data,
    trouble: data ? undefined : failureReason?.message,
    askAgain: useAskAgain(query.queryKey),
  }
}

function Listed({ list }: { list: Authorization[] }) {
  const text = useAuthorizationsText().list
  const now = useNow()
  const [revoking, setRevoking] = useState<Authorization>()
  const [revoked, setRevoked] = useState(0)
  const cards = useRef<HTMLUListElement>(null)
  // The button that was pressed is gone with its card.
  useEffect(() => {
    if (revoked > 0) (cards.current ?? document.getElementById('main'))?.focus()
  }, [revoked])
  const done = () => {
    setRevoking(undefined)
    setRevoked((count) => count + 1)
  }
  return (
    <>
      {list.length > 0 && (
        <ul className="authorizations" ref={cards} tabIndex={-1} aria-label={text.label}>
          {list.map((authorization) => (
            <AuthorizationCard
              key={authorization.client.id}
              authorization={authorization}
              now={now}
              onRevoke={() => setRevoking(authorization)}
            />
          ))}
        </ul>
      )}
      {revoking && <RevokeSheet authorization={revoking} onDone={done} onCancel={() => setRevoking(undefined)} />}
    </>
  )
}
