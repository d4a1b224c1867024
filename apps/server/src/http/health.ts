import { atMostEvery } from '../platform/metrics/metrics.ts'
import type { Deps } from '../shared/deps.ts'
import type { App } from './app.ts'

/** For supervisors and load balancers: liveness and readiness. */
export function serveHealth(app: App, deps: Pick<Deps, 'sites' | 'pool'>): void {
  let draining = false
  app.addHook('preClose', async () => {
    draining = true
  })
  // Public and without a limit, so the database is queried once a second at most.
  const database = atMostEvery(1_000, () =>
    deps.pool.query('SELECT 1').then(
      () => 'up',
      () => 'down',
    ),
  )
  app.get('/healthz', () => ({ status: 'ok' }))
  // Stores are reported but don't decide: taking every process out of service would turn their outage into ours.
  app.get('/readyz', async (_request, reply) => {
    const ready = deps.sites.loaded && !draining
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready', database: await database() })
  })
}
