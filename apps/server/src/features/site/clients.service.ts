import type { MachineScope } from '@hufu/contract/machine-scopes'
import type { ClientKind, OidcScope } from '@hufu/contract/oidc'
import { AppError } from '../../platform/app-error.ts'
import { newSecret } from '../../platform/crypto/hash.ts'
import type { SiteId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Client } from '../../shared/sites/client-gate.ts'
import { isPublicKind } from '../../shared/sites/oidc-clients.ts'
import { mask } from './config-secrets.ts'
import { readConfig, saveConfig } from './site.service.ts'

type Needs = Pick<Deps, 'db' | 'config'>

/** Their secrets are masked. */
export async function listClients(deps: Needs, siteId: SiteId): Promise<Client[]> {
  return (await readConfig(deps, siteId)).config.clients ?? []
}

export interface NewClient {
  id: string
  name: string
  kind: ClientKind
  returns?: string[] | undefined
  logoutReturns?: string[] | undefined
  scopes?: (OidcScope | MachineScope)[] | undefined
  firstParty?: boolean | undefined
  backchannelUrl?: string | undefined
  pkceOptional?: boolean | undefined
  device?: boolean | undefined
}

/** The secret of the new client, which is never shown again; undefined where its kind has none. */
export async function addClient(
  deps: Needs,
  siteId: SiteId,
  { scopes, ...added }: NewClient,
  operator: string,
): Promise<string | undefined> {
  const { version: basedOn, config } = await readConfig(deps, siteId)
  const secret = isPublicKind(added.kind) ? undefined : newSecret()
  const client = { ...added, scopes: scopes?.map((name) => ({ name })), secret }
  const clients = [...(config.clients ?? []), given(client)]
  await saveConfig(deps, siteId, { config: { ...config, clients }, basedOn }, operator)
  return secret
}

const given = (fields: object) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** A new secret, while the former one stays valid until the rotation is finished. */
export async function rotateClient(deps: Needs, siteId: SiteId, id: string, operator: string): Promise<string> {
  const secret = newSecret()
  await changeClient(deps, siteId, id, operator, (client) => {
    if (client.previousSecret)
      throw new AppError('INPUT_INVALID', {
        field: 'previousSecret',
        reason: 'two secrets are valid already; --finish ends the former one',
      })
    return { ...client, secret, ...(client.secret && { previousSecret: mask }) }
  })
  return secret
}

/** The former secret stops being valid. */
export async function finishRotation(deps: Needs, siteId: SiteId, id: string, operator: string): Promise<void> {
  await changeClient(deps, siteId, id, operator, ({ previousSecret, ...client }) => {
    if (!previousSecret || !client.secret)
      throw new AppError('INPUT_INVALID', { field: 'previousSecret', reason: 'no rotation is under way' })
    return client
  })
}

async function changeClient(
  deps: Needs,
  siteId: SiteId,
  id: string,
  operator: string,
  change: (client: Client) => object,
): Promise<void> {
  const { version: basedOn, config } = await readConfig(deps, siteId)
  if (!config.clients?.some((client) => client.id === id)) throw new AppError('NOT_FOUND', { client: id })
  const clients = config.clients.map((client) => (client.id === id ? change(client) : client))
  await saveConfig(
    deps,
    siteId,
    { config: { ...config, clients }, basedOn, rotated: { section: 'clients', id } },
    operator,
  )
}
