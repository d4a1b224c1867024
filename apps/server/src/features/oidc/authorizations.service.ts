import { type Authorization, type OidcScope, oidcScopes } from '@hufu/contract/oidc'
import { AppError } from '../../platform/app-error.ts'
import type { UserId } from '../../platform/ids.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { recordEvent } from '../../shared/events/record-event.ts'
import { endLoginsOfClient } from '../../shared/oidc/ends.store.ts'
import { readUser } from '../../shared/sessions/sessions.store.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Client } from '../../shared/sites/client-gate.ts'
import { isOidcClient, shownClient } from '../../shared/sites/oidc-clients.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { deleteConsent, listStored, markRevoked, voidTickets } from './authorizations.store.ts'

type Needs = Pick<Deps, 'db'>

const clientOf = (site: Site, clientId: string): Client | undefined =>
  site.config.clients?.find(({ id }) => id === clientId)

/** What it may learn: by consent, without asking for the brand's own, and the name and picture by tickets. */
function scopesOf(client: Client, consented: string[] | null): OidcScope[] {
  if (!isOidcClient(client)) return ['profile']
  const own: string[] = client.scopes?.map(({ name }) => name) ?? []
  const given = client.firstParty === true ? own : (consented ?? [])
  return oidcScopes.filter((scope) => given.includes(scope))
}

/** Clients that the config no longer has can't be shown. */
export async function listAuthorizations(
  { db }: Needs,
  site: Site,
  { userId }: Pick<Caller, 'userId'>,
): Promise<{ data: Authorization[] }> {
  const data = (await listStored(db, site.id, userId)).flatMap(({ clientId, scopes, since, lastUsed }) => {
    const client = clientOf(site, clientId)
    return client ? [{ client: shownClient(site, client), scopes: scopesOf(client, scopes), since, lastUsed }] : []
  })
  return { data }
}

export async function listAuthorizationsOf(
  deps: Needs,
  site: Site,
  userId: UserId,
): Promise<{ data: Authorization[] }> {
  if (!(await readUser(deps.db, site.id, userId))) throw new AppError('USER_UNKNOWN')
  return await listAuthorizations(deps, site, { userId })
}

/**
 * Every token and ticket of the client is refused as soon as this is committed. Idempotent: what began while a former call ran ends
 * too.
 */
export async function revokeAuthorization(
  { db }: Needs,
  site: Site,
  { userId }: Caller,
  clientId: string,
  address: string,
): Promise<Record<string, never>> {
  await db.transaction().execute(async (tx) => {
    const revoked = await markRevoked(tx, site.id, userId, clientId)
    if (!revoked) throw new AppError('NOT_FOUND')
    await deleteConsent(tx, site.id, userId, clientId)
    await endLoginsOfClient(tx, site.id, userId, clientId)
    const client = clientOf(site, clientId)
    if (client) await voidTickets(tx, site.id, userId, client)
    const detail = { client: client?.name ?? clientId }
    if (!revoked.first) return
    await recordSecurity(tx, site.id, { event: 'authorize.revoke', userId, address, detail })
    await recordEvent(tx, site.id, { type: 'consent.withdrawn', subject: userId, id: userId, client: clientId })
  })
  return {}
}
