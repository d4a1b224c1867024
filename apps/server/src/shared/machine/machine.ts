import { isMachineScope, type MachineScope } from '@hufu/contract/machine-scopes'
import type { Keys } from '../../platform/crypto/secrets.ts'
import type { Deps } from '../deps.ts'
import { isOidcClient, type OidcClient } from '../sites/oidc-clients.ts'
import type { Site } from '../sites/sites.ts'
import { credentialsOf, isMarkedBy } from './credential.ts'
import { readMachineToken, type StoredToken } from './machine-token.store.ts'

/** A client of kind `machine` with a valid token. */
export interface Machine {
  client: OidcClient
  scopes: readonly MachineScope[]
}

/** How the operator log names a client. */
export const machineName = ({ client }: Pick<Machine, 'client'>): string => `client:${client.id}`

const scopesIn = (text: string | null): MachineScope[] => (text ?? '').split(' ').filter(isMachineScope)

/** The scopes that the config gives a client of kind `machine`. */
export const machineScopesOf = ({ kind, scopes = [] }: Pick<OidcClient, 'kind' | 'scopes'>): MachineScope[] =>
  kind === 'machine' ? scopes.map(({ name }) => name).filter(isMachineScope) : []

/**
 * Judged by the config of now: a client that is gone or no machine any more, a credential that was replaced, and a
 * scope that was taken away make the token worthless.
 */
export function machineOf(keys: Keys, site: Site, token: string, stored: StoredToken): Machine | undefined {
  const client = site.config.clients?.filter(isOidcClient).find(({ id }) => id === stored.clientId)
  if (client?.kind !== 'machine' || stored.credential === null) return undefined
  const scopes = scopesIn(stored.scope)
  const allowed = machineScopesOf(client)
  if (!scopes.every((scope) => allowed.includes(scope))) return undefined
  return isMarkedBy(token, stored.credential, credentialsOf(keys, site, client)) ? { client, scopes } : undefined
}

/** As the provider issues them; anything else isn't worth a query. */
const shape = /^[A-Za-z0-9_-]{43}$/

export async function findMachine(
  { db, config: { keys } }: Pick<Deps, 'db' | 'config'>,
  site: Site,
  token: string,
): Promise<Machine | undefined> {
  const stored = shape.test(token) ? await readMachineToken(db, site.id, token) : undefined
  return stored && machineOf(keys, site, token, stored)
}
