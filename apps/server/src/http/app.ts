import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { AppError } from '../core/app-error.ts'
import type { Deps } from '../core/deps.ts'
import type { Site } from '../core/sites.ts'
import { addressReader, maskedAddress } from './address.ts'
import { handleErrors } from './error-handler.ts'
import { secureHeaders } from './headers.ts'
import { parseJsonOnly } from './json-body.ts'
import { startShedding } from './shedding.ts'

export type App = FastifyInstance

declare module 'fastify' {
  interface FastifyRequest {
    /** Set for every request that reaches a handler. */
    site: Site
    address: string
    startedAt: number
  }
}

/** Calls that answer without a site: probes know no brand. */
const siteless = new Set(['/healthz', '/readyz'])

/** The bare server: every request has an id, a site, an address, safe headers, one log line and a place in the count. */
export function createApp(deps: Deps): App {
  const app: App = Fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // One logger for all: a child for every request costs more than the line it would write.
    childLoggerFactory: (logger) => logger,
    genReqId: requestIds(),
    bodyLimit: 256 * 1024,
    routerOptions: { maxParamLength: 2048, ignoreTrailingSlash: false },
    forceCloseConnections: 'idle',
    keepAliveTimeout: 65_000,
    requestTimeout: 30_000,
    return503OnClosing: false,
  })
  const addressOf = addressReader(deps.config)
  const overloaded = startShedding(app, deps.config)

  app.decorateRequest('site')
  app.decorateRequest('address', '')
  app.decorateRequest('startedAt', 0)
  parseJsonOnly(app)
  handleErrors(app)

  app.addHook('onRequest', (request, reply, done) => {
    request.startedAt = performance.now()
    request.address = addressOf(request)
    reply.header('x-request-id', request.id)
    secureHeaders(reply)
    if (siteless.has(request.url)) return done()
    if (overloaded()) return done(new AppError('SERVICE_BUSY'))
    const site = deps.sites.find(request.headers.host ?? '')
    if (!site) return done(new AppError(deps.sites.loaded ? 'SITE_UNKNOWN' : 'SERVICE_BUSY'))
    request.site = site
    // Pages still load: they are what tells the person.
    if (site.status === 'disabled' && request.url.startsWith('/api/')) return done(new AppError('SITE_DISABLED'))
    done()
  })

  app.addHook('onResponse', (request, reply, done) => {
    // The pattern, never the address itself: paths hold sources and ids.
    const route = request.routeOptions.url ?? '(unmatched)'
    if (request.site && route.startsWith('/api/') && route !== '/api/page/visit') deps.usage.countCall(request.site.id)
    deps.log.info(
      {
        id: request.id,
        site: request.site?.id,
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round((performance.now() - request.startedAt) * 10) / 10,
        from: maskedAddress(request.address),
      },
      'call',
    )
    done()
  })
  return app
}

/** Short, unique and ours: an id from outside could be used to confuse the log. */
function requestIds(): () => string {
  const process = Math.random().toString(36).slice(2, 8)
  let last = 0
  return () => `${process}-${(++last).toString(36)}`
}
