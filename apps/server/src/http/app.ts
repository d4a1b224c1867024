import type { IncomingMessage } from 'node:http'
import { pageVisit } from '@hufu/contract/statistics'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { AppError } from '../platform/app-error.ts'
import { passwordsWaiting } from '../platform/crypto/password-hash.ts'
import type { Deps } from '../shared/deps.ts'
import type { Site } from '../shared/sites/sites.ts'
import { addressReader } from './address.ts'
import { callLine } from './call-line.ts'
import { countAnswer } from './call-times.ts'
import { handleErrors } from './error-handler.ts'
import { always, onlyEncrypted } from './headers.ts'
import { parseJsonOnly } from './json-body.ts'
import { controlAdmission } from './overload/admission.ts'
import { sendBusy } from './overload/busy-response.ts'
import { isPoll, type Shedding, startShedding } from './overload/load-shedding.ts'
import { createPollThrottle } from './overload/poll-throttle.ts'
import { createSiteFairness } from './overload/site-fairness.ts'

export type App = FastifyInstance

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether no call is in progress. */
    idle(): boolean
    /** Removes a call from those in progress: an open event stream is not one. */
    release(request: FastifyRequest): void
  }
  interface FastifyRequest {
    /** Set for every request that reaches a handler. */
    site: Site
    address: string
    released: boolean
    /** The route pattern, for the log: a URL may hold sources and ids. */
    route: string
  }
}

/** Answered without a site: health checks have no host of a site. */
const siteless = new Set(['/healthz', '/readyz'])

/** Assets of a page; without one of them the whole page would fail. */
const fromMemory = (url: string) => url.startsWith('/assets/')

/** The bare server: every request has an id, a site, an address, one log line, and counts as a call in progress. */
export function createApp(deps: Deps): App {
  const app: App = Fastify({
    genReqId: requestIds(),
    rewriteUrl: readableUrl,
    bodyLimit: 256 * 1024,
    routerOptions: { maxParamLength: 2048 },
    forceCloseConnections: 'idle',
    keepAliveTimeout: 65_000,
    requestTimeout: 30_000,
    return503OnClosing: false,
  })
  const addressOf = addressReader(deps.config)
  const shedding = startShedding(deps.config, deps.log, passwordsWaiting)
  const pollThrottle = createPollThrottle()
  limitAdmission(app, deps, shedding)
  app.addHook('onClose', async () => shedding.close())
  app.decorate('idle', shedding.idle)
  app.decorate('release', (request: FastifyRequest) => {
    request.released = true
    shedding.end()
  })
  app.decorateRequest('released', false)
  app.decorateRequest('site')
  app.decorateRequest('address', '')
  app.decorateRequest('route', '(page)')
  parseJsonOnly(app)
  handleErrors(app, deps.log)

  function ended(request: FastifyRequest, reply: FastifyReply, started: number) {
    if (isPoll(request.url)) shedding.endPoll()
    else if (!request.released) shedding.end()
    if (request.site && request.url.startsWith('/api/') && request.route !== pageVisit.path)
      deps.usage.countCall(request.site.id)
    const ms = performance.now() - started
    // How long a stream stayed open isn't how long an answer took.
    if (!request.released) countAnswer(request.route, reply.raw.statusCode, ms)
    deps.log.line(callLine(request, reply, ms))
  }

  /** Why a request is refused, if it is. */
  function refusal(request: FastifyRequest, full: boolean): AppError | undefined {
    if (siteless.has(request.url)) return undefined
    if (full && !fromMemory(request.url)) return new AppError('SERVICE_BUSY')
    const site = deps.sites.find(request.headers.host ?? '')
    if (!site) return new AppError(deps.sites.loaded ? 'SITE_UNKNOWN' : 'SERVICE_BUSY')
    request.site = site
    // Pages of a disabled site still load: they inform the user.
    if (site.status === 'disabled' && request.url.startsWith('/api/')) return new AppError('SITE_DISABLED')
    return undefined
  }

  app.addHook('onRequest', (request, reply, done) => {
    // Before any work is done for it: a page that waits polls again by itself.
    const polling = isPoll(request.url)
    if (polling && !shedding.beginPoll()) {
      if (pollThrottle.enter()) reply.raw.on('close', () => pollThrottle.hold(request.raw.socket))
      return sendBusy(reply)
    }
    const started = performance.now()
    const full = !polling && shedding.full()
    if (!polling) shedding.begin()
    request.address = addressOf(request)
    // 'close' also comes when the caller hangs up in the middle.
    const waits = polling && pollThrottle.enter()
    reply.raw.on('close', () => {
      if (waits) pollThrottle.hold(request.raw.socket)
      ended(request, reply, started)
    })
    reply.header('x-request-id', request.id).headers(always)
    const refused = refusal(request, full)
    if (request.site) onlyEncrypted(request.site, reply)
    done(refused)
  })
  return app
}

/** Refused before any work: more than the process can handle, and more than one site's share of it. */
function limitAdmission(app: App, deps: Pick<Deps, 'config' | 'sites'>, shedding: Shedding): void {
  const withinFairShare = createSiteFairness(deps.config, {
    now: () => performance.now(),
    unreadSince: shedding.unreadSince,
  })
  controlAdmission(app.server, {
    full: shedding.full,
    // Polls have their own limit.
    always: (url) => siteless.has(url) || fromMemory(url) || isPoll(url),
    within({ headers }) {
      const site = deps.sites.find(headers.host ?? '')
      return !site || withinFairShare(site.id)
    },
    refused: shedding.refused,
  })
}

/** A path with a broken percent sign gets our page or our own refusal; the router's answer would be a bare one. */
function readableUrl({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  if (!url.includes('%')) return url
  const [path = ''] = url.split('?', 1)
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}

/** Short, unique and generated here: an id from outside could be used to confuse the log. */
function requestIds(): () => string {
  const process = Math.random().toString(36).slice(2, 8)
  let last = 0
  return () => `${process}-${(++last).toString(36)}`
}
