import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import type { UserId } from '../../platform/ids.ts'
import { scopeClaims, signInClaims } from './claims.ts'
import { type Consent, readConsent } from './oidc.store.ts'
import type { ProviderContext } from './provider.ts'

export interface Allowed {
  given: string[]
  declined: string[]
  /** The scopes whose claims may be asked for one by one. */
  claimed: string[]
}

/** Claims come with the scope that holds them. */
const claimsOf = (scopes: string[]): string[] => [
  ...signInClaims,
  ...Object.entries(scopeClaims).flatMap(([scope, claims]) => (scopes.includes(scope) ? claims : [])),
]

/** The brand's own clients are given what they ask for. */
export const allowedToOwn = (asked: string[], scope: string): Allowed => ({
  given: asked,
  declined: [],
  claimed: scope.split(' '),
})

/** The others are given what the user agreed to. */
export const allowedByConsent = ({ scopes, declined }: Pick<Consent, 'scopes' | 'declined'>): Allowed => ({
  given: ['openid', ...scopes],
  declined,
  claimed: scopes,
})

async function allowedTo({ site, unit }: ProviderContext, { oidc }: KoaContextWithOIDC): Promise<Allowed | undefined> {
  const { client, account } = oidc
  if (!client || !account) return undefined
  if (client.firstParty === true) return allowedToOwn([...oidc.requestParamScopes], client.scope ?? '')
  const userId = account.accountId as UserId
  const consent = await unit.read((db) => readConsent(db, site.id, userId, client.clientId))
  return consent && allowedByConsent(consent)
}

/** Writes what is allowed of what was asked into a grant. */
export function fillGrant(grant: Grant, asked: { scopes: string[]; claims: string[] }, allowed: Allowed): void {
  // A scope that was declined once and is allowed now.
  delete grant.rejected
  grant.addOIDCScope(asked.scopes.filter((scope) => allowed.given.includes(scope)))
  const declined = asked.scopes.filter((scope) => allowed.declined.includes(scope))
  if (declined.length > 0) grant.rejectOIDCScope(declined)
  // Without an answer for each claim of the `claims` parameter the page would be shown for ever.
  const allowedClaims = claimsOf(allowed.claimed)
  grant.addOIDCClaims(asked.claims.filter((claim) => allowedClaims.includes(claim)))
  const refused = asked.claims.filter((claim) => !allowedClaims.includes(claim))
  if (refused.length > 0) grant.rejectOIDCClaims(refused)
}

const contentOf = (grant: Grant) => JSON.stringify([grant.openid, grant.rejected])

/** The grant of this session for this client, with what is allowed by now. Undefined where nothing is yet. */
export async function loadGrant(context: ProviderContext, ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { client, account, session, provider } = ctx.oidc
  const allowed = await allowedTo(context, ctx)
  if (!allowed || !client || !account || !session) return undefined
  const asked = [...ctx.oidc.requestParamScopes]
  if (!asked.some((scope) => allowed.given.includes(scope))) return undefined
  const known = session.grantIdFor(client.clientId)
  const grant =
    (known && (await provider.Grant.find(known))) ||
    new provider.Grant({ clientId: client.clientId, accountId: account.accountId })
  const before = contentOf(grant)
  fillGrant(grant, { scopes: asked, claims: [...ctx.oidc.requestParamClaims] }, allowed)
  if (!grant.jti || before !== contentOf(grant)) await grant.save()
  return grant
}
