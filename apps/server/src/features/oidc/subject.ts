import { createHmac } from 'node:crypto'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Client } from '../../shared/sites/client-gate.ts'
import { pairwiseSalt } from './keys.ts'

/** What a client calls a user: the user's id for the brand's own ones, an id that no other client knows for the rest. */
export function subjectOf(salt: Buffer, client: Pick<Client, 'id' | 'firstParty'>, userId: UserId): string {
  if (client.firstParty === true) return userId
  return createHmac('sha256', salt).update(`${client.id}\n${userId}`).digest('base64url')
}

/** What a client calls a user; one that signs users in by tickets alone knows the user id. */
export async function clientSubject(
  deps: Pick<Deps, 'db' | 'config'>,
  siteId: SiteId,
  client: Client,
  userId: UserId,
): Promise<string> {
  if (client.kind === undefined || client.firstParty === true) return userId
  return subjectOf(await pairwiseSalt(deps, siteId), client, userId)
}
