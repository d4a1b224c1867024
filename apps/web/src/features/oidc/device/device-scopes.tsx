import '../../../ui/badge.css'
import '../consent/consent.css'
import type { AskedScope, OidcScope } from '@hufu/contract/oidc'
import type { UserInfo } from '@hufu/contract/profile'
import { useId } from 'react'
import { ScopeLine } from '../consent/scope-line.tsx'
import { shownValue } from '../consent/scope-value.ts'
import { useDeviceText } from './device.text.ts'

/** Nothing is given away unseen: what has no value yet is left out until the user ticks it. */
export const declinedAtFirst = (user: UserInfo, scopes: AskedScope[]): OidcScope[] =>
  scopes.filter((scope) => !scope.required && shownValue(user, scope.name) === null).map(({ name }) => name)

interface Props {
  user: UserInfo
  scopes: AskedScope[]
  declined: OidcScope[]
  onChange: (declined: OidcScope[]) => void
}

/** What a third-party application will learn, a line each. */
export function DeviceScopes({ user, scopes, declined, onChange }: Props) {
  const text = useDeviceText()
  const heading = useId()
  const change = (name: OidcScope, checked: boolean) =>
    onChange(checked ? declined.filter((each) => each !== name) : [...declined, name])
  return (
    <section className="asked-scopes" aria-labelledby={heading}>
      <h2 id={heading}>{text.wants}</h2>
      <ul>
        {scopes.map((scope) => (
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
  )
}
