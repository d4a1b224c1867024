import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Client } from '../../shared/sites/client-gate.ts'
import { pairwiseSalt } from './keys.ts'
import { subjectOf } from './subject.ts'

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
