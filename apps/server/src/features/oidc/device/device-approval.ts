import type { OidcScope } from '@hufu/contract/oidc'
import { AppError } from '../../../platform/app-error.ts'
import { newSecret } from '../../../platform/crypto/hash.ts'
import type { Caller } from '../../../shared/sessions/sessions.ts'
import type { OidcClient } from '../../../shared/sites/oidc-clients.ts'
import type { Site } from '../../../shared/sites/sites.ts'
import { allowedByConsent, allowedToOwn, fillGrant } from '../grants.ts'
import { recordConsent } from '../interaction/consent-answer.ts'
import type { SiteProvider } from '../provider.ts'
import { sessionUid } from '../session-uid.ts'
import { signInLevel } from '../sign-in-level.ts'
import type { OidcSession } from '../token-state.store.ts'
import { insertDeviceLogin, setDecision, type WaitingDevice } from './device-code.store.ts'
import { askedClaimsOf, type DeviceRequest } from './device-request.ts'

export interface Approved {
  device: WaitingDevice
  client: OidcClient
  request: DeviceRequest
  asked: OidcScope[]
  accepted: OidcScope[]
}

interface Approving {
  caller: Caller
  address: string
  session: OidcSession
}

type Where = Pick<SiteProvider, 'provider' | 'unit'> & { site: Site }

function allowedFor({ client, request, asked, accepted }: Approved) {
  if (client.firstParty === true)
    return allowedToOwn(request.scopes, client.scopes?.map(({ name }) => name).join(' ') ?? '')
  return allowedByConsent({ scopes: accepted, declined: asked.filter((name) => !accepted.includes(name)) })
}

/** A grant of its own: a television signs out without the others of the same user. */
async function saveGrant({ provider }: Where, approved: Approved, { caller }: Approving) {
  const { client, request } = approved
  const grant = new provider.Grant({ clientId: client.id, accountId: caller.userId })
  fillGrant(grant, { scopes: request.scopes, claims: askedClaimsOf(request) }, allowedFor(approved))
  await grant.save()
  return grant
}

/** Part of the transaction in which the user code was spent. */
export async function approveDevice(where: Where, approved: Approved, approving: Approving): Promise<void> {
  const { site, unit } = where
  const { client, device, request, asked, accepted } = approved
  const { caller, address, session } = approving
  const { userId } = caller
  if (client.firstParty !== true)
    await unit.write((db) => recordConsent(db, site, client, { userId, address }, { asked, accepted }))
  const grant = await saveGrant(where, approved, approving)
  const scope = grant.getOIDCScopeFiltered(new Set(request.scopes))
  const login = {
    clientId: client.id,
    sid: newSecret(),
    grantId: grant.jti,
    offline: scope.split(' ').includes('offline_access'),
  }
  if (!(await unit.write((db) => insertDeviceLogin(db, site.id, userId, caller.session.id, login))))
    throw new AppError('NOT_LOGGED_IN')
  const payload = {
    ...device.payload,
    ...signInLevel(session),
    accountId: userId,
    authTime: session.authTime,
    grantId: login.grantId,
    scope,
    sessionUid: sessionUid({ userId, sessionId: caller.session.id }),
    sid: login.sid,
    ...(request.claims && { claims: request.claims }),
  }
  await unit.write((db) => setDecision(db, site.id, userId, device.hash, { payload, grantId: login.grantId }))
}
