import { type AskedScope, type OidcScope, oidcScopes } from '@hufu/contract/oidc'
import { AppError } from '../../../platform/app-error.ts'
import type { UserId } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { recordSecurity } from '../../../shared/audit/security-log.ts'
import type { OidcClient } from '../../../shared/sites/oidc-clients.ts'
import type { Site } from '../../../shared/sites/sites.ts'
import { saveConsent } from '../oidc.store.ts'

export const isScope = (name: string): name is OidcScope => (oidcScopes as readonly string[]).includes(name)

/** A scope as the page shows it: with the client's reason. */
export function describeScope(client: OidcClient, name: OidcScope): AskedScope {
  const { reason = null, required = false } = client.scopes?.find((scope) => scope.name === name) ?? {}
  return { name, reason, required }
}

/** What the user agreed to of what was asked; without an answer to each scope, all. Required ones are among them. */
export function acceptedScopes(client: OidcClient, asked: OidcScope[], agreed: OidcScope[] = asked): OidcScope[] {
  const accepted = asked.filter((name) => agreed.includes(name))
  if (asked.some((name) => describeScope(client, name).required && !accepted.includes(name)))
    throw new AppError('INPUT_INVALID', { field: 'scopes' })
  return accepted
}

export interface Consenting {
  userId: UserId
  address: string
}

/** Stores the answer and its entry in the security log. */
export async function recordConsent(
  tx: Db,
  site: Site,
  client: OidcClient,
  { userId, address }: Consenting,
  { asked, accepted }: { asked: OidcScope[]; accepted: OidcScope[] },
): Promise<void> {
  await saveConsent(tx, site.id, userId, client.id, { asked, accepted, version: site.version })
  const detail = { client: client.name, scopes: accepted }
  await recordSecurity(tx, site.id, { event: 'authorize.consent', userId, address, detail })
}
