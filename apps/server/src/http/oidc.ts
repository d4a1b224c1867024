import type { IncomingMessage, ServerResponse } from 'node:http'
import { type OidcRoute, oidcPaths, oidcRoutes } from '@hufu/contract/oidc'
import { pages } from '@hufu/contract/pages'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../platform/app-error.ts'
import type { Log } from '../platform/log.ts'
import { isRedisUnavailable } from '../platform/redis/client.ts'
import type { Deps } from '../shared/deps.ts'
import { formatToken } from '../shared/sessions/session-cookie.ts'
import type { Site } from '../shared/sites/sites.ts'
import { addressBucket } from './address.ts'
import type { App } from './app.ts'
import { type Cookies, createCookies } from './cookies.ts'
import { createLocalLimit } from './limit.ts'
import { withinLimit } from './serve.ts'

/** A request for the provider, which reads and answers it by itself. */
export interface OidcRequest {
  site: Site
  raw: IncomingMessage
  response: ServerResponse
  id: string
  address: string
  /** The mark of the browser, of navigations alone. */
  browser: string | undefined
  /** The cookies that sign a browser out. */
  signedOut: readonly string[]
}

type Answer = (request: OidcRequest) => Promise<void>

/** Browsers navigate to these; the answer is a page or a redirect. */
const navigations: readonly string[] = [oidcPaths.authorize, oidcPaths.resume, oidcPaths.logout]

/** What is posted to a navigation fits into an address; more than this is no sign-in. */
const longestForm = 6_000

/**
 * Without `form-action`: the answer to a client that wants it by POST is a form to the client, which may redirect to
 * another of its origins. The one script in it is allowed by its hash.
 */
const navigationPolicy = "default-src 'none'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'"

/**
 * The only way to add the routes of the OpenID Connect provider: like calls they have a site, a rate limit, a log line
 * and a place in load shedding, but body and answer are the provider's. Answers the name of the session cookie.
 */
export function serveOidc(app: App, deps: Deps, enabled: (site: Site) => boolean, answer: Answer): string {
  const cookies = createCookies(deps.config)
  const withinLocalLimit = createLocalLimit()

  async function limit(route: OidcRoute, request: FastifyRequest) {
    try {
      await withinLimit(deps, route, request)
    } catch (error) {
      if (!isRedisUnavailable(error)) throw error
      // Signed-in users get on without Redis: until it is back each process counts for itself.
      const retryAfter = withinLocalLimit(
        `${request.site.id}:${route.path}:${addressBucket(request.address)}`,
        route.limit,
      )
      if (retryAfter > 0) throw new AppError('TOO_MANY_REQUESTS', { retryAfter })
    }
  }

  async function handle(route: OidcRoute, request: FastifyRequest, reply: FastifyReply) {
    request.route = route.path
    drainAfter(request, reply)
    dropHost(request)
    const { site } = request
    // As if there were no such route; what is posted to a page would be refused by its method.
    if (!enabled(site)) return request.method === 'GET' ? reply.callNotFound() : reply.code(404).send()
    if (site.status === 'disabled') throw new AppError('SITE_DISABLED')
    await limit(route, request)
    const navigation = navigations.includes(route.path)
    if (navigation && request.method === 'POST') return reply.redirect(await asAddress(request), 303)
    const browser = navigation ? cookies.browserHash(request, reply).toString('base64url') : undefined
    prepare(cookies, request)
    // The route decides whether a refusal is a page: some clients' libraries ask for text/html, and some browsers don't.
    request.raw.headers.accept = navigation ? 'text/html' : 'application/json'
    if (navigation) reply.header('content-security-policy', navigationPolicy)
    const { raw, id, address } = request
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value)
    reply.hijack()
    await answer({ site, raw, response: reply.raw, id, address, browser, signedOut: cookies.signedOut }).catch(
      (error) => fail(deps, request, reply, error),
    )
  }

  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    // The provider reads the body itself.
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.setErrorHandler((error, request, reply) => refuse(deps.log, error, request, reply))
    for (const route of oidcRoutes)
      scope.route({
        method: [...route.methods],
        url: route.path,
        handler: (request, reply) => handle(route, request, reply),
      })
  })
  return cookies.sessionName
}

/** What is left of a body that was refused half-way would stand before the next request of its connection. */
const drainAfter = ({ raw }: FastifyRequest, reply: FastifyReply): unknown =>
  reply.raw.once('finish', () => raw.resume())

/** A request may name a host before its path (RFC 9112, absolute-form). The provider would build its addresses from that. */
function dropHost({ raw }: FastifyRequest): void {
  raw.url = raw.url?.replace(/^[^/?#]*:\/\/[^/?#]*/, '')
  Object.assign(raw, { originalUrl: raw.url })
}

/**
 * A form that another site posts brings no cookies of ours. The browser comes again with a GET, which does, and the
 * request is judged by the session it has.
 */
async function asAddress({ raw, url }: FastifyRequest): Promise<string> {
  let form = ''
  for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
    form += chunk
    if (form.length > longestForm) throw new AppError('PAYLOAD_TOO_LARGE')
  }
  const [path] = url.split('?', 1)
  return `${path}?${new URLSearchParams(form)}`
}

/** Addresses are built from the stored site, and the session is the one that our own reading of the cookies finds. */
function prepare(cookies: Cookies, request: FastifyRequest): void {
  const { headers } = request.raw
  const { protocol, host } = new URL(request.site.origin)
  const token = cookies.readToken(request)
  headers['x-forwarded-proto'] = protocol.slice(0, -1)
  headers['x-forwarded-host'] = host
  headers['x-forwarded-for'] = request.address
  delete headers.forwarded
  const others = (headers.cookie ?? '').split(';').filter((part) => !part.trim().startsWith(`${cookies.sessionName}=`))
  headers.cookie = [...others, ...(token ? [`${cookies.sessionName}=${formatToken(token)}`] : [])].join(';')
}

const errorNames: Record<number, string> = {
  403: 'access_denied',
  429: 'temporarily_unavailable',
  503: 'temporarily_unavailable',
}

const errorOf = (status: number): string => errorNames[status] ?? (status < 500 ? 'invalid_request' : 'server_error')

/** Fastify refuses some requests by itself, such as one whose type can't be read. */
function statusOf(error: unknown): number {
  const { statusCode = 500 } = error as { statusCode?: number }
  return statusCode < 500 ? statusCode : 500
}

/** Before the provider has the request: in the words of OAuth, or on the page that says so. */
function refuse(log: Log, error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = error instanceof AppError ? error : undefined
  const status = known?.status ?? (isRedisUnavailable(error) ? 503 : statusOf(error))
  if (status === 500) log.error({ err: error, id: request.id }, 'an OpenID Connect request failed')
  const retryAfter = known?.details?.retryAfter ?? (status === 503 ? 1 : undefined)
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter))
  if (navigations.includes(request.route))
    return reply.redirect(`${pages.authorizeError.replace(':code', errorOf(status))}?id=${request.id}`, 303)
  return reply.code(status).send({ error: errorOf(status), ...(known && { error_description: known.code }) })
}

/** The provider couldn't be made: its keys are in the database. */
function fail({ log }: Pick<Deps, 'log'>, request: FastifyRequest, { raw }: FastifyReply, error: unknown): void {
  log.error({ err: error, id: request.id }, 'the OpenID Connect provider of a site could not be made')
  raw.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' })
  raw.end(JSON.stringify({ error: 'temporarily_unavailable' }))
}
