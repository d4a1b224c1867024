import { type Endpoint, type Limit, pathFields } from '@hufu/contract/endpoint'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../platform/app-error.ts'
import { isRedisUnavailable } from '../platform/redis/client.ts'
import type { Deps } from '../shared/deps.ts'
import type { ChangeRequest } from '../shared/machine/change.ts'
import { findMachine, type Machine, machineName } from '../shared/machine/machine.ts'
import { noteRead } from '../shared/machine/reads.store.ts'
import { addressBucket } from './address.ts'
import { createLocalLimit, type Window, windowOf } from './limit.ts'

/** Before the token is looked up: one address may stand for all servers of a customer. */
const addressLimit: Limit = { calls: 60_000, seconds: 60 }

/** RFC 6750: in the header alone. A token in an address ends up in logs. */
function bearerOf({ headers }: FastifyRequest): string {
  return /^bearer ([^\s,]+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
}

/**
 * Admits clients of kind `machine`, by their token alone: cookies aren't read, so a page of another origin can make
 * none of these calls. Without Redis each process counts for itself.
 */
export function machineGate(deps: Deps, endpoint: Endpoint) {
  const countLocally = createLocalLimit()

  async function count(who: string, limit: Limit): Promise<Window> {
    try {
      return await windowOf(deps.redis, who, limit)
    } catch (error) {
      if (!isRedisUnavailable(error)) throw error
      return countLocally.window(who, limit)
    }
  }

  async function withinAddress({ site, address }: FastifyRequest): Promise<void> {
    const { calls, reset } = await count(`${site.id}:manage:${addressBucket(address)}`, addressLimit)
    if (calls > addressLimit.calls) throw new AppError('TOO_MANY_REQUESTS', { retryAfter: reset })
  }

  async function withinOwn({ site }: FastifyRequest, reply: FastifyReply, { client }: Machine): Promise<void> {
    const { limit = addressLimit, method, path } = endpoint
    const { calls, reset } = await count(`${site.id}:${method}:${path}:client:${client.id}`, limit)
    reply.headers({
      'ratelimit-limit': String(limit.calls),
      'ratelimit-remaining': String(Math.max(limit.calls - calls, 0)),
      'ratelimit-reset': String(reset),
    })
    if (calls > limit.calls) throw new AppError('TOO_MANY_REQUESTS', { retryAfter: reset })
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<Machine> => {
    await withinAddress(request)
    const machine = await findMachine(deps, request.site, bearerOf(request))
    if (!machine) {
      reply.header('www-authenticate', 'Bearer error="invalid_token"')
      throw new AppError('TOKEN_INVALID')
    }
    await withinOwn(request, reply, machine)
    if (!endpoint.scope || !machine.scopes.includes(endpoint.scope)) {
      reply.header('www-authenticate', `Bearer error="insufficient_scope", scope="${endpoint.scope}"`)
      throw new AppError('SCOPE_MISSING', { scope: endpoint.scope })
    }
    // Recorded before anything is shown; changes are recorded one by one.
    if (!endpoint.changes) await noteRead(deps.db, request.site.id, machineName(machine), callName(endpoint))
    return machine
  }
}

const callName = ({ method, path }: Endpoint): string => `${method} ${path}`

/** Of a field given twice the query has an array, which no schema takes. */
export function machineInput({ path, method }: Endpoint, { params, query, body }: FastifyRequest): unknown {
  const sent = method === 'GET' ? query : (body ?? {})
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent
  const named = params as Record<string, unknown>
  return { ...sent, ...Object.fromEntries(pathFields(path).map((name) => [name, named[name]])) }
}

/** A header that is sent twice is joined by a comma, and names nothing that was stored. */
export function changeRequest({ method, url, body, headers }: FastifyRequest): ChangeRequest {
  const { 'idempotency-key': key, 'if-match': ifMatch } = headers
  return {
    key: key === undefined ? undefined : String(key),
    ifMatch,
    request: JSON.stringify([method, url, body ?? {}]),
  }
}
