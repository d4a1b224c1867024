import type { Deps } from '../core/deps.ts'
import type { App } from './app.ts'

/** For whoever watches the process: alive at all, and fit for traffic. */
export function serveHealth(app: App, deps: Pick<Deps, 'sites' | 'pool'>): void {
  let draining = false
  app.addHook('preClose', async () => {
    draining = true
  })
  app.get('/healthz', () => ({ status: 'ok' }))
  // Stores are told but don't decide: taking every process out of service would turn their outage into ours.
  app.get('/readyz', async (_request, reply) => {
    const ready = deps.sites.loaded && !draining
    const database = await deps.pool.query('SELECT 1').then(
      () => 'up',
      () => 'down',
    )
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', database })
  })
}
