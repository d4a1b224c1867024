import type { Authorization } from '@hufu/contract/oidc'
import { Button } from '../../../ui/button.tsx'
import { ClientMark } from '../../../ui/client-mark.tsx'
import { useAuthorizationsText } from './authorizations.text.ts'
import { dateWords, isUnused, lastUsedWords } from './last-used.ts'

interface Props {
  authorization: Authorization
  now: number
  onRevoke: () => void
}

/** One client: who it is, what it learns, since when and when last. */
export function AuthorizationCard({ authorization, now, onRevoke }: Props) {
  const text = useAuthorizationsText()
  const { client, scopes, since, lastUsed } = authorization
  return (
    <li className="card authorization">
      <div className="client-line">
        <ClientMark client={client} />
        <div>
          <b>{client.name}</b>
          {client.host && <small>{client.host}</small>}
        </div>
        <Button kind="quiet" aria-label={text.list.revokeThis(client.name)} onClick={onRevoke}>
          {text.list.revoke}
        </Button>
      </div>
      <ul className="authorization-scopes">
        {scopes.map((scope) => (
          <li key={scope} className="badge">
            {text.scopes[scope]}
          </li>
        ))}
        {scopes.length === 0 && <li className="badge">{text.list.onlyLogin}</li>}
      </ul>
      <dl className="authorization-times">
        <dt>{text.list.since}</dt>
        <dd>{dateWords(since, text)}</dd>
        <dt>{text.list.lastUsed}</dt>
        <dd>
          {isUnused(lastUsed, now) && <span className="badge warn">{text.list.unused}</span>}
          {lastUsedWords(lastUsed, now, text)}
        </dd>
      </dl>
    </li>
  )
}
