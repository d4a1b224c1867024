import { createHmac } from 'node:crypto'
import type { UserId } from '../../platform/ids.ts'
import type { Client } from '../../shared/sites/client-gate.ts'

/** What a client calls a user: the user's id for the brand's own ones, an id that no other client knows for the rest. */
export function subjectOf(salt: Buffer, client: Pick<Client, 'id' | 'firstParty'>, userId: UserId): string {
  if (client.firstParty === true) return userId
  return createHmac('sha256', salt).update(`${client.id}\n${userId}`).digest('base64url')
}
