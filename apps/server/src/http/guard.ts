import type { Access, Endpoint } from '@hufu/contract/endpoint'
import type { FastifyRequest } from 'fastify'
import { AppError } from '../platform/app-error.ts'
import type { UserId } from '../platform/ids.ts'
import { recordFailure } from '../shared/audit/security-log.ts'
import type { Deps } from '../shared/deps.ts'
import type { SessionToken } from '../shared/sessions/session-cookie.ts'
import { type Caller, findCaller, hasSteppedUp } from '../shared/sessions/sessions.ts'
import type { Client } from '../shared/sites/client-gate.ts'
import type { Site } from '../shared/sites/sites.ts'
import { operatorRefusal } from '../shared/step-up/operator-factor.ts'

/** The actions of the area MERCHANT that a call needs; all of them are required. */
const merchantActions: Partial<Record<Access, string[]>> = {
  merchantRead: ['READ'],
  merchantWrite: ['READ', 'WRITE'],
  merchantAdmin: ['READ', 'ADMIN'],
}

/** Admits the callers that the contract allows; anything it doesn't name is closed. */
export async function admit(
  deps: Deps,
  { site, address }: Pick<FastifyRequest, 'site' | 'address'>,
  endpoint: Pick<Endpoint, 'access' | 'stepUp'>,
  token: SessionToken | undefined,
): Promise<Caller> {
  const caller = token && (await findCaller(deps, site.id, token))
  if (!caller) throw new AppError('NOT_LOGGED_IN')
  if (caller === 'removed') throw new AppError('SESSION_REMOVED')
  deps.usage.countAccess(site.id, caller.user.id)
  const needed = merchantActions[endpoint.access]
  if (endpoint.access !== 'user' && !needed) throw new AppError('FORBIDDEN')
  const granted = caller.user.permission.MERCHANT ?? []
  if (needed && !needed.every((action) => granted.includes(action)))
    throw await refusal(deps, site, caller.user.id, address)
  const closed = needed && operatorRefusal(deps, caller)
  if (closed) throw closed
  if (endpoint.stepUp && !hasSteppedUp(caller, deps.clock.now()))
    throw new AppError('TWO_FACTOR_REQUIRED', caller.user.protected ? { factor: true } : undefined)
  return caller
}

/** An attempt at an operator's call is recorded in the security log of the account; log lines of calls name no user. */
async function refusal({ db, log }: Deps, site: Site, userId: UserId, address: string): Promise<AppError> {
  await recordFailure(db, site.id, { event: 'access.failed', userId, address }).catch((error) =>
    log.warn({ err: error }, 'a refusal could not be recorded'),
  )
  return new AppError('FORBIDDEN')
}

/** Admits a client that was found; a guess is logged. */
export async function admitClient(
  { db }: Pick<Deps, 'db'>,
  { site, address }: FastifyRequest,
  client: Client | undefined,
): Promise<Client> {
  if (client) return client
  await recordFailure(db, site.id, { event: 'client.refused', address })
  throw new AppError('CLIENT_REFUSED')
}
