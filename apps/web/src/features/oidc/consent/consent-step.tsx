import '../../../ui/badge.css'
import type { Interaction, OidcScope } from '@hufu/contract/oidc'
import { useId, useState } from 'react'
import { ClientLine } from '../../../ui/client-mark.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { useConsentText } from './consent.text.ts'
import { ConsentActs } from './consent-acts.tsx'
import { CurrentAccount } from './current-account.tsx'
import { ScopeLine } from './scope-line.tsx'
import { type AskedScope, shownValue } from './scope-value.ts'
import type { StepProps } from './step-props.ts'

/** What the client will learn, a line each, and the answer. */
export function ConsentStep({ user, interaction, id, answer }: StepProps) {
  const text = useConsentText().consent
  const heading = useId()
  const { client, scopes } = interaction
  // Nothing is given away unseen: what has no value yet is left out until the user ticks it.
  const [declined, setDeclined] = useState<OidcScope[]>(() =>
    scopes.filter((scope) => !scope.required && shownValue(user, scope.name) === null).map(({ name }) => name),
  )
  const given = scopes.filter(({ name }) => !declined.includes(name)).map(({ name }) => name)
  const change = (name: OidcScope, checked: boolean) =>
    setDeclined((before) => (checked ? before.filter((each) => each !== name) : [...before, name]))
  return (
    <>
      <div className="lead">
        <h1>{text.title}</h1>
        <CurrentAccount user={user} id={id} />
      </div>
      <ClientLine client={client} />
      {scopes.length === 0 ? (
        <Notice>{text.nothing}</Notice>
      ) : (
        <section className="asked-scopes" aria-labelledby={heading}>
          <h2 id={heading}>{text.wants}</h2>
          <ul>
            {scopes.map((scope: AskedScope) => (
              <ScopeLine
                key={scope.name}
                scope={scope}
                value={shownValue(user, scope.name)}
                checked={!declined.includes(scope.name)}
                onChange={(checked) => change(scope.name, checked)}
              />
            ))}
          </ul>
        </section>
      )}
      <ConsentActs answer={answer} accept={text.accept} refuse={text.refuse} given={{ scopes: given }} />
      <Small client={client} />
    </>
  )
}

function Small({ client }: Pick<Interaction, 'client'>) {
  const text = useConsentText().consent
  return (
    <p className="consent-small">
      {client.privacy && (
        <span>
          {text.readFirst(client.name)}
          <a className="link" href={client.privacy} target="_blank" rel="noopener noreferrer">
            {text.policy}
          </a>
        </span>
      )}
      <span>{text.revocable}</span>
    </p>
  )
}
