import type { App } from '../app.ts'
import { openApiDocument } from './document.ts'

/** Made when it is first asked for: most processes never are. */
export function serveOpenApi(app: App, version: string): void {
  let body: string | undefined
  app.get('/api/openapi.json', (_request, reply) => {
    body ??= JSON.stringify(openApiDocument(version))
    return reply.type('application/json; charset=utf-8').send(body)
  })
}
