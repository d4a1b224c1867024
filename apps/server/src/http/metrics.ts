import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Config } from '../platform/config/config.ts'
import { type Collector, exposition } from '../platform/metrics/metrics.ts'

/**
 * Metrics on a separate, non-public port, which must answer also while calls are refused. Workers have no other port,
 * so it reports their liveness as well.
 */
export async function serveMetrics(
  { metricsHost, metricsPort }: Pick<Config, 'metricsHost' | 'metricsPort'>,
  collectors: readonly Collector[],
): Promise<{ close(): void }> {
  if (metricsPort === undefined) return { close() {} }
  const server = createServer(async ({ method, url }, response) => {
    if (method === 'GET' && url === '/metrics') {
      const text = await exposition(collectors)
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text)
    } else response.writeHead(method === 'GET' && url === '/healthz' ? 200 : 404).end()
  })
  server.listen(metricsPort, metricsHost)
  await once(server, 'listening')
  server.unref()
  return {
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
