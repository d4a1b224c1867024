import { type Access, type Endpoint, nothing, type OutputOf, type ParsedInputOf } from '@hufu/contract/endpoint'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { AppError } from '../platform/app-error.ts'
import type { Deps } from '../shared/deps.ts'
import { beginChange, type Change, plainChange } from '../shared/machine/change.ts'
import type { Machine } from '../shared/machine/machine.ts'
import { tagOf } from '../shared/machine/tag.ts'
import type { SessionToken } from '../shared/sessions/session-cookie.ts'
import { type Caller, findCaller } from '../shared/sessions/sessions.ts'
import { type Client, clientGate } from '../shared/sites/client-gate.ts'
import type { Site } from '../shared/sites/sites.ts'
import { addressBucket } from './address.ts'
import type { App } from './app.ts'
import { type Cookies, createCookies } from './cookies.ts'
import { admit, admitClient } from './guard.ts'
import { jsonType, preparedHead } from './headers.ts'
import { emptyBody } from './json-body.ts'
import { countCall } from './limit.ts'
import { changeRequest, machineGate, machineInput } from './machine.ts'
import { refuseForeignOrigin } from './origin.ts'
import { serveUpload } from './upload.ts'

type Known<Guard extends Endpoint['access']> = Guard extends 'client'
  ? Client
  : Guard extends 'machine'
    ? Machine
    : Caller

/** What a handler may know about the call besides its input. */
export class Context<E extends Endpoint = Endpoint> {
  readonly site: Site
  readonly address: string
  /** Who calls, proved before the handler runs; a public call may ask `whoCalls`. */
  readonly caller: E['access'] extends 'public' ? undefined : Known<E['access']>
  /** Of a machine's call that changes something. */
  readonly change: Change
  private readonly call: { deps: Deps; cookies: Cookies; request: FastifyRequest; reply: FastifyReply }

  constructor(call: Context['call'], caller: Caller | Client | Machine | undefined, change = plainChange) {
    this.site = call.request.site
    this.address = call.request.address
    this.caller = caller as Context<E>['caller']
    this.change = change
    this.call = call
  }

  get userAgent(): string {
    return this.call.request.headers['user-agent'] ?? ''
  }

  async whoCalls(): Promise<Caller | undefined> {
    const token = this.call.cookies.readToken(this.call.request)
    const caller = token && (await findCaller(this.call.deps, this.site.id, token))
    if (!caller || caller === 'removed') return undefined
    this.call.deps.usage.countAccess(this.site.id, caller.user.id)
    return caller
  }

  /** The hash of the browser mark; a browser without one gets one. */
  browserHash(): Buffer {
    return this.call.cookies.browserHash(this.call.request, this.call.reply)
  }

  /** A cookie of one flow. */
  cookie(name: string): string | undefined {
    return this.call.cookies.read(this.call.request, name)
  }

  setCookie(name: string, value: string, seconds: number): void {
    this.call.cookies.set(this.call.reply, name, value, seconds)
  }

  forgetCookie(name: string): void {
    this.setCookie(name, '', 0)
  }

  signIn(token: SessionToken): void {
    this.call.cookies.setToken(this.call.reply, token)
  }

  signOut(): void {
    this.call.cookies.clearToken(this.call.reply)
  }
}

/** A prepared answer: the whole body with its envelope. It sets no cookie. */
export class Prepared {
  readonly length: string
  /** Bytes written as Latin-1, so that head and body leave in one write without being encoded again. */
  readonly bytes: string

  constructor(data: unknown) {
    const body = Buffer.from(JSON.stringify({ data }))
    this.length = String(body.length)
    this.bytes = body.toString('latin1')
  }

  send(reply: FastifyReply): void {
    reply.hijack()
    const { site, id } = reply.request
    reply.raw.writeHead(200, preparedHead(site, id, this.length))
    reply.raw.end(this.bytes, 'latin1')
  }
}

type Handler<E extends Endpoint> = (
  input: ParsedInputOf<E>,
  context: Context<E>,
) => OutputOf<E> | Prepared | Promise<OutputOf<E> | Prepared>

/** They prove themselves by something that no browser sends by itself. */
const proved: readonly Access[] = ['client', 'machine']

/** The only way to add a call: guard, limit and shapes come from the contract, so no route can forget them. */
export function serve<E extends Endpoint>(app: App, deps: Deps, endpoint: E, handler: Handler<E>): void {
  const cookies = createCookies(deps.config)

  const handle = (
    input: ParsedInputOf<E>,
    request: FastifyRequest,
    reply: FastifyReply,
    caller?: Caller | Client | Machine,
    change?: Change,
  ) => handler(input, new Context<E>({ deps, cookies, request, reply }, caller, change))

  function work(request: FastifyRequest, reply: FastifyReply, caller: Caller | undefined) {
    return handle(parse(endpoint.input, request.body) as ParsedInputOf<E>, request, reply, caller)
  }

  const findClient = clientGate(deps.config.keys)

  /** A client authenticates by the id and secret in its input. */
  async function clientWork(request: FastifyRequest, reply: FastifyReply) {
    await withinLimit(deps, endpoint, request)
    const input = parse(endpoint.input, request.body) as ParsedInputOf<E>
    return await handle(input, request, reply, await admitClient(deps, request, findClient(request.site, input)))
  }

  const admitMachine = machineGate(deps, endpoint)

  async function machineWork(request: FastifyRequest, reply: FastifyReply) {
    const machine = await admitMachine(request, reply)
    const input = parse(endpoint.input, machineInput(endpoint, request)) as ParsedInputOf<E>
    if (!endpoint.changes) return await handle(input, request, reply, machine)
    const change = await beginChange(deps, request.site, machine, changeRequest(request))
    if ('answer' in change) {
      reply.header('idempotency-replayed', 'true')
      return change.answer as OutputOf<E>
    }
    try {
      return await handle(input, request, reply, machine, change)
    } catch (error) {
      await change.release()
      throw error
    }
  }

  async function prove(request: FastifyRequest): Promise<Caller | undefined> {
    if (endpoint.access === 'public') return undefined
    return await admit(deps, request, endpoint, cookies.readToken(request))
  }

  /** Rate limit first: what is refused must not cost a query. */
  async function guardedWork(request: FastifyRequest, reply: FastifyReply) {
    await withinLimit(deps, endpoint, request)
    return await work(request, reply, await prove(request))
  }

  function send(reply: FastifyReply, output: OutputOf<E> | Prepared) {
    if (output instanceof Prepared) return output.send(reply)
    // The schema also strips: a field that the contract doesn't name never leaves the server.
    reply.header('content-type', jsonType)
    const data = endpoint.output.parse(output)
    if (endpoint.tagged && !endpoint.changes) reply.header('etag', tagOf(data))
    reply.send(JSON.stringify({ data }))
  }

  function begin(request: FastifyRequest) {
    request.route = endpoint.path
    if (!endpoint.harmless && !proved.includes(endpoint.access)) refuseForeignOrigin(request)
  }

  if (endpoint.upload) {
    serveUpload(app, endpoint.path, endpoint.upload, {
      async admit(request) {
        begin(request)
        await withinLimit(deps, endpoint, request)
        await prove(request)
      },
      // Verified again: a body may take longer to arrive than a session lasts.
      answer: async (request, reply) => send(reply, await work(request, reply, await prove(request))),
    })
    return
  }

  const servers: Partial<Record<Access, typeof guardedWork>> = { client: clientWork, machine: machineWork }
  const free = endpoint.access === 'public' && !endpoint.limit
  const open = (request: FastifyRequest, reply: FastifyReply) => work(request, reply, undefined)
  const answerer = free ? open : (servers[endpoint.access] ?? guardedWork)

  const answer = (request: FastifyRequest, reply: FastifyReply) => {
    begin(request)
    const output = answerer(request, reply)
    // A synchronous answer is sent at once: awaiting a promise costs a tenth of the throughput.
    if (!(output instanceof Promise)) send(reply, output)
    else output.then((ready) => send(reply, ready)).catch((error) => reply.send(error))
  }
  app.route({ method: endpoint.method, url: endpoint.path, handler: answer, exposeHeadRoute: false })
}

export async function withinLimit(
  deps: Pick<Deps, 'redis'>,
  { path, limit }: Pick<Endpoint, 'path' | 'limit'>,
  request: FastifyRequest,
): Promise<void> {
  if (!limit) return
  const who = `${request.site.id}:${path}:${addressBucket(request.address)}`
  const retryAfter = await countCall(deps.redis, who, limit)
  if (retryAfter > 0) throw new AppError('TOO_MANY_REQUESTS', { retryAfter })
}

function parse(schema: z.ZodType, body: unknown): unknown {
  if (schema === nothing && (body === undefined || body === emptyBody)) return emptyBody
  const parsed = schema.safeParse(body ?? {})
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const field = issue?.path.join('.') ?? ''
  // Users get the form of this field wrong often enough for a sentence of its own.
  throw new AppError(field === 'email' ? 'EMAIL_INVALID' : 'INPUT_INVALID', { field })
}
