import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import type { SiteConfig } from '@hufu/contract/site'
import { createSite } from '../../../apps/server/src/features/site/site.service.ts'
import type { SiteId } from '../../../apps/server/src/platform/ids.ts'
import { startTestApp, type TestApp } from '../../../apps/server/test/test-app.ts'

export const machine = { clientId: 'machine', clientSecret: 'the-secret-of-the-machine' }
export const web = {
  clientId: 'web',
  clientSecret: 'the-secret-of-the-web-site',
  redirectUri: 'http://localhost/callback',
}

const config: SiteConfig = {
  clients: [
    {
      id: machine.clientId,
      name: 'Machine',
      kind: 'machine',
      secret: machine.clientSecret,
      scopes: [{ name: 'users:read' }, { name: 'events:read' }],
    },
    {
      id: web.clientId,
      name: 'Web',
      kind: 'web',
      firstParty: true,
      secret: web.clientSecret,
      returns: [web.redirectUri],
      scopes: [{ name: 'profile' }],
    },
  ],
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** The real product on a port of its own, with a site that has a machine and a web site as clients. */
export async function startProduct(): Promise<{ t: TestApp; issuer: string; siteId: SiteId; close(): Promise<void> }> {
  const t = await startTestApp({ HUFU_INSECURE_HTTP: '1' })
  const port = await freePort()
  const issuer = `http://localhost:${port}`
  const siteId = await createSite(t.deps, { origin: issuer, config }, 'test')
  await t.deps.sites.refresh()
  await t.app.listen({ port, host: 'localhost' })
  return { t, issuer, siteId, close: () => t.close() }
}
