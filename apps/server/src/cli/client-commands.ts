import { guardedScopes, type MachineScope, machineScopes } from '@hufu/contract/machine-scopes'
import { type ClientKind, clientKinds, type OidcScope, oidcScopes } from '@hufu/contract/oidc'
import { addClient, finishRotation, listClients, rotateClient } from '../features/site/clients.service.ts'
import { allSites, findSite } from '../features/site/site.service.ts'
import type { SiteId } from '../platform/ids.ts'
import type { Client } from '../shared/sites/client-gate.ts'
import { isPublicKind, isThirdParty } from '../shared/sites/oidc-clients.ts'
import type { Options } from './cli.ts'
import { type Command, type Needs, type Print, required } from './command.ts'

/** What operators do with the clients of a site. A command ends when its change counts on all processes: scripts go on at once. */
export const clientCommands = (
  options: Options,
  operator: string,
  print: Print,
  untilFollowed: () => Promise<void>,
): Record<string, Command> => ({
  async 'client list'(deps, [site]) {
    const clients = await listClients(deps, await findSite(deps, required(site, 'SITE')))
    for (const client of clients) print(lineOf(client))
  },
  async 'client add'(deps, [site]) {
    const siteId = await findSite(deps, required(site, 'SITE'))
    const id = required(options.id, '--id')
    const kind = kindOf(required(options.kind, '--kind'))
    const scopes = options.scope?.map((text) => scopeOf(kind, text))
    if (scopes?.some(isGuarded)) required(options.by, '--by')
    const secret = await addClient(
      deps,
      siteId,
      {
        id,
        name: required(options.name, '--name'),
        kind,
        returns: options.return,
        logoutReturns: options['logout-return'],
        scopes,
        firstParty: options['first-party'],
        backchannelUrl: options.backchannel,
        pkceOptional: options['pkce-optional'],
        device: options.device,
      },
      operator,
    )
    print(await credentials(deps, siteId, id, secret))
    await untilFollowed()
  },
  async 'client rotate'(deps, [site]) {
    const siteId = await findSite(deps, required(site, 'SITE'))
    const id = required(options.id, '--id')
    if (options.finish) await finishRotation(deps, siteId, id, operator)
    else {
      print(await credentials(deps, siteId, id, await rotateClient(deps, siteId, id, operator)))
      console.error('the former secret stays valid until: hufu client rotate SITE --id … --finish')
    }
    await untilFollowed()
  },
})

/** The operator log names the human who grants one. */
const isGuarded = (scope: string) => guardedScopes.some((each) => each === scope)

function kindOf(text: string): ClientKind {
  const kind = clientKinds.find((each) => each === text)
  if (!kind) throw new Error(`--kind is one of ${clientKinds.join(', ')}`)
  return kind
}

function scopeOf(kind: ClientKind, text: string): OidcScope | MachineScope {
  const scopes = kind === 'machine' ? machineScopes : oidcScopes
  const scope = scopes.find((each) => each === text)
  const always = kind === 'machine' ? '' : '; openid is always allowed'
  if (!scope) throw new Error(`--scope is one of ${scopes.join(', ')} for --kind ${kind}${always}`)
  return scope
}

/** What the client is configured with. The secret is shown this once. */
async function credentials(deps: Needs, siteId: SiteId, id: string, secret: string | undefined) {
  const issuer = (await allSites(deps)).find((site) => site.id === siteId)?.origin
  return { issuer, client_id: id, ...(secret !== undefined && { client_secret: secret }) }
}

const lineOf = (client: Client): string =>
  [
    client.id,
    client.kind ?? 'legacy',
    isThirdParty(client) ? 'third-party' : 'first-party',
    credentialOf(client),
    client.name,
    ...(client.returns ?? client.sources ?? []),
  ].join('  ')

function credentialOf({ kind, secret, previousSecret, publicKeys }: Client): string {
  if (isPublicKind(kind)) return 'public'
  if (kind && publicKeys?.length) return 'keys'
  if (secret && previousSecret) return 'two-secrets'
  return secret || previousSecret ? 'secret' : 'NO-SECRET'
}
