import type { Endpoint, OutputOf, ParsedInputOf } from '@hufu/contract/endpoint'
import type { FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { AppError } from '../core/app-error.ts'
import type { Deps } from '../core/deps.ts'
import type { Site } from '../core/sites.ts'
import { addressBucket } from './address.ts'
import type { App } from './app.ts'
import { countCall } from './limit.ts'
import { refuseForeignOrigin } from './origin.ts'

/** What a handler may know about the call besides its input. */
export interface Context {
  site: Site
  address: string
}

/** An answer that was made ready before: the whole body, envelope and all. */
export class Prepared {
  readonly body: Buffer
  constructor(body: Buffer) {
    this.body = body
  }
}

type Handler<E extends Endpoint> = (
  input: ParsedInputOf<E>,
  context: Context,
) => OutputOf<E> | Prepared | Promise<OutputOf<E> | Prepared>

/** The only way to add a call: guard, limit and shapes come from the contract, so no route can forget them. */
export function serve<E extends Endpoint>(app: App, deps: Pick<Deps, 'redis'>, endpoint: E, handler: Handler<E>): void {
  app.post(endpoint.path, async (request, reply) => {
    if (!endpoint.harmless) refuseForeignOrigin(request)
    refuseStrangers(endpoint)
    await withinLimit(deps, endpoint, request)
    const input = parse(endpoint.input, request.body ?? {}) as ParsedInputOf<E>
    const output = await handler(input, { site: request.site, address: request.address })
    reply.type('application/json; charset=utf-8')
    if (output instanceof Prepared) return reply.send(output.body)
    // The schema also strips: a field that the contract doesn't name never leaves the server.
    return reply.send({ data: endpoint.output.parse(output) })
  })
}

/** Nobody can prove who they are yet, so every guarded call is closed. */
function refuseStrangers(endpoint: Endpoint): void {
  if (endpoint.access !== 'public') throw new AppError('NOT_LOGGED_IN')
}

async function withinLimit(deps: Pick<Deps, 'redis'>, endpoint: Endpoint, request: FastifyRequest): Promise<void> {
  if (!endpoint.limit) return
  const who = `${request.site.id}:${endpoint.path}:${addressBucket(request.address)}`
  const retryAfter = await countCall(deps.redis, who, endpoint.limit)
  if (retryAfter > 0) throw new AppError('TOO_MANY_REQUESTS', { retryAfter })
}

function parse(schema: z.ZodType, body: unknown): unknown {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new AppError('INPUT_INVALID', { field: issue?.path.join('.') ?? '' })
}
