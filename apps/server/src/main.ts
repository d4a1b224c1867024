import { existsSync } from 'node:fs'
import { Server } from 'node:net'
import { join } from 'node:path'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { buildApp } from './app.ts'
import type { App } from './http/app.ts'
import { serveMetrics } from './http/metrics.ts'
import type { Config } from './platform/config/config.ts'
import type { Log } from './platform/log.ts'
import { stopOnSignal } from './platform/shutdown.ts'
import { productCollectors } from './shared/collectors.ts'
import { createDeps } from './shared/deps.ts'
import { version } from './version.ts'

/** Serves until a signal stops it, then finishes what is in progress. */
export async function serveProduct(config: Config, log: Log): Promise<void> {
  const { webFolder } = config
  if (webFolder && !existsSync(join(webFolder, 'index.html')))
    throw new Error(`HUFU_WEB_FOLDER is ${webFolder}, which has no index.html; set it to the folder of the built pages`)
  const deps = await createDeps(config, log)
  if (config.insecureHttp)
    deps.log.warn('HUFU_INSECURE_HTTP=1: cookies travel without encryption; never use this in production')
  const app = buildApp(deps)
  const drain = prepareDrain(app)
  // Many pages may connect at once, for example after a restart; a client that finds the backlog full retries after a
  // second.
  await app.listen({ host: config.host, port: config.port, backlog: 4_096 }).catch((error: Error) => {
    throw new Error(`Can't listen on HUFU_HOST and HUFU_PORT: ${error.message}`)
  })
  const watched = await serveMetrics(config, productCollectors(deps, version))
  deps.log.info({ host: config.host, port: config.port }, 'serving')
  stopOnSignal(deps.log, async (patient) => {
    await drain(patient)
    watched.close()
    await deps.close()
  })
}

/** How long an unused connection stays open; deploy/nginx/upstream.conf closes its own earlier. */
const unusedMs = 3_000
const longestDrain = 8_000

/** Connections in the backlog are accepted before the socket closes: the kernel would reset them. */
async function stopListening({ server }: App): Promise<void> {
  await setImmediate()
  await setImmediate()
  // Not as HTTP servers do it by themselves: they close unused connections as well.
  Server.prototype.close.call(server)
}

const connections = ({ server }: App) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count ?? 0)))

/**
 * New connections are refused, having sent nothing, and go to another process. On an open connection a call may be
 * under way at this very moment: so each stays until its proxy closes it, and every answer on it carries `connection:
 * close`. Browsers keep spare connections that never send anything: those are closed in the end.
 */
function prepareDrain(app: App): (patient: boolean) => Promise<void> {
  let unusedUntil = 0
  app.addHook('preClose', async () => {
    while (performance.now() < unusedUntil && (await connections(app)) > 0) await sleep(50)
  })
  return async (patient) => {
    const began = performance.now()
    if (patient) unusedUntil = began + unusedMs
    await stopListening(app)
    const closed = app.close()
    const timer = setInterval(() => {
      const passed = performance.now() - began
      if (performance.now() > unusedUntil && (app.idle() || passed > longestDrain)) app.server.closeAllConnections()
    }, 100)
    await closed
    clearInterval(timer)
  }
}
