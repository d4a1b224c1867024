import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../stores/ports.ts'
import type { DemoProduct } from './demo-product.ts'
import { hufu, run } from './product.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

const site = join(import.meta.dirname, '../../examples/node-openid-client/server.js')

interface DemoClient {
  id: string
  name: string
  scope: string
  firstParty: boolean
}

/** One of the brand itself, and one of others, which asks for consent. */
const clients: DemoClient[] = [
  { id: 'shop', name: '青屿商城', scope: 'openid profile phone', firstParty: true },
  { id: 'club', name: '读者俱乐部', scope: 'openid profile phone email', firstParty: false },
]

async function startClient({ addresses: { web }, environment, parts }: DemoProduct, client: DemoClient) {
  // Cookies know no ports: sites under one name would sign each other out.
  const app = `http://${client.firstParty ? 'localhost' : '127.0.0.1'}:${await freePort()}`
  const scopes = client.scope.split(' ').slice(1)
  const credentials = await hufu(environment, [
    ...['client', 'add', web, '--id', client.id, '--name', client.name, '--kind', 'web'],
    ...['--return', `${app}/callback`, '--logout-return', `${app}/`, '--backchannel', `${app}/backchannel-logout`],
    ...scopes.flatMap((scope) => ['--scope', scope]),
    ...(client.firstParty ? ['--first-party'] : []),
  ])
  const folder = makeTemporaryFolder('demo-client')
  writeFileSync(join(folder, 'client.json'), credentials)
  parts.push(run(process.execPath, [site], { APP: app, SCOPE: client.scope }, folder))
  return [client.id, app] as const
}

/** Sites that sign their users in at the demo by OpenID Connect; their addresses by id. */
export async function startDemoClients(demo: DemoProduct): Promise<Record<string, string>> {
  const started: (readonly [string, string])[] = []
  for (const client of clients) started.push(await startClient(demo, client))
  return Object.fromEntries(started)
}
