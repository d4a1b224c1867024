import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import type { UserId } from '../../platform/ids.ts'
import { scopeClaims, signInClaims } from './account.ts'
import { readConsent } from './oidc.store.ts'
import type { ProviderContext } from './provider.ts'

interface Allowed {
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

/** A first-party client is given what it asks for; the others what the user agreed to. */
async function allowedTo({ site, unit }: ProviderContext, { oidc }: KoaContextWithOIDC): Promise<Allowed | undefined> {
  const { client, account } = oidc
  if (!client || !account) return undefined
  if (client.firstParty === true)
    return { given: [...oidc.requestParamScopes], declined: [], claimed: (client.scope ?? '').split(' ') }
  const userId = account.accountId as UserId
  const consent = await unit.read((db) => readConsent(db, site.id, userId, client.clientId))
  return consent && { given: ['openid', ...consent.scopes], declined: consent.declined, claimed: consent.scopes }
}

const contentOf = (grant: Grant) => JSON.stringify([grant.openid, grant.rejected])

/** The grant of this session for this client, with what is allowed by now. Undefined where nothing is yet. */
export async function loadGrant(context: ProviderContext, ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { client, account, session, provider } = ctx.oidc
  const allowed = await allowedTo(context, ctx)
  if (!allowed || !client || !account || !session) return undefined
  const asked = [...ctx.oidc.requestParamScopes]
  const granted = asked.filter((scope) => allowed.given.includes(scope))
  if (granted.length === 0) return undefined
  const known = session.grantIdFor(client.clientId)
  const grant =
    (known && (await provider.Grant.find(known))) ||
    new provider.Grant({ clientId: client.clientId, accountId: account.accountId })
  const before = contentOf(grant)
  // A scope that was declined once and is allowed now.
  delete grant.rejected
  grant.addOIDCScope(granted)
  const declined = asked.filter((scope) => allowed.declined.includes(scope))
  if (declined.length > 0) grant.rejectOIDCScope(declined)
  // Without an answer for each claim of the `claims` parameter the page would be shown for ever.
  const claims = [...ctx.oidc.requestParamClaims]
  const allowedClaims = claimsOf(allowed.claimed)
  grant.addOIDCClaims(claims.filter((claim) => allowedClaims.includes(claim)))
  const refused = claims.filter((claim) => !allowedClaims.includes(claim))
  if (refused.length > 0) grant.rejectOIDCClaims(refused)
  if (!grant.jti || before !== contentOf(grant)) await grant.save()
  return grant
}
