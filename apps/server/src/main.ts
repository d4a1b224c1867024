import { buildApp } from './app.ts'
import type { Config } from './core/config.ts'
import { checkStores, createDeps } from './core/deps.ts'
import { pendingMigrations } from './core/migrate.ts'
import type { App } from './http/app.ts'

/** Serves until it is told to stop, then finishes what is in progress. */
export async function serveProduct(config: Config): Promise<void> {
  const deps = await createDeps(config)
  await checkStores(deps)
  await pendingMigrations(config.databaseUrl).then(
    (pending) => pending.length > 0 && deps.log.warn({ pending }, 'the database is behind: run hufu migrate'),
    (error) => deps.log.warn({ err: error }, 'the database could not be asked for its version'),
  )
  if (config.insecureHttp)
    deps.log.warn('HUFU_INSECURE_HTTP=1: cookies travel without encryption; never use this for real people')
  const app = buildApp(deps)
  // Many pages may come at once, after a restart say; whoever finds no place here waits a second before the next try.
  await app.listen({ host: config.host, port: config.port, backlog: 4_096 })
  deps.log.info({ host: config.host, port: config.port }, 'serving')

  let stopping = false
  async function stop(signal: string) {
    if (stopping) return
    stopping = true
    deps.log.info({ signal }, 'stopping')
    await drain(app)
    await deps.close()
    process.exit(0)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(signal))
}

const longestDrain = 8_000

/** Waits for calls in progress, not for connections: browsers keep spare ones that never asked anything. */
async function drain(app: App): Promise<void> {
  const closed = app.close()
  const latest = performance.now() + longestDrain
  const timer = setInterval(() => {
    if (app.idle() || performance.now() > latest) app.server.closeAllConnections()
  }, 100)
  await closed
  clearInterval(timer)
}
