import { isDeepStrictEqual } from 'node:util'
import { guardedScopes, type MachineScope } from '@hufu/contract/machine-scopes'
import type { SiteConfig } from '@hufu/contract/site'
import { machineScopesOf } from '../../shared/machine/machine.ts'
import type { Client } from '../../shared/sites/client-gate.ts'
import { isOidcClient } from '../../shared/sites/oidc-clients.ts'

/** A client that can do more after a save, or that something else can act as. */
export interface MachineGrant {
  client: string
  name: string
  /** All of its guarded scopes. */
  scopes: MachineScope[]
  /** Those that it didn't have before. */
  added: MachineScope[]
}

const guardedOf = (client: Client | undefined): MachineScope[] =>
  client && isOidcClient(client) ? machineScopesOf(client).filter((scope) => guardedScopes.includes(scope)) : []

/** A kept secret is the same sealed text. The present one that becomes the former one comes with a new one. */
function hasNewCredential(former: Client, next: Client): boolean {
  const { secret, previousSecret, publicKeys = [] } = next
  if (publicKeys.some((key) => !former.publicKeys?.some((known) => isDeepStrictEqual(known, key)))) return true
  const known = [former.secret, former.previousSecret]
  // Without keys secrets count again.
  if (publicKeys.length === 0 && former.publicKeys?.length) return true
  return [secret, previousSecret].some((each) => each !== undefined && !known.includes(each))
}

/** Clients that gained a guarded scope, or have one and gained a secret or key. */
export function machineGrants(former: SiteConfig, { clients = [] }: SiteConfig): MachineGrant[] {
  return clients.flatMap((client) => {
    const scopes = guardedOf(client)
    const before = former.clients?.find(({ id }) => id === client.id)
    const added = scopes.filter((scope) => !guardedOf(before).includes(scope))
    const widened = added.length > 0 || (scopes.length > 0 && before && hasNewCredential(before, client))
    return widened ? [{ client: client.id, name: client.name, scopes, added }] : []
  })
}
