import { randomUUID } from 'node:crypto'
import { isFinal, sendWebhook } from '../../integrations/webhook/webhook.ts'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Job } from '../../platform/jobs/jobs.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Client } from '../../shared/sites/client-gate.ts'
import { secretPaths, unsealSecret } from '../../shared/sites/site-secrets.ts'
import { type Gone, queueDeletionWebhook } from './closing.store.ts'

type Needs = Pick<Deps, 'db' | 'sites' | 'config' | 'breaker' | 'clock' | 'log'>

const clientOf = ({ sites }: Pick<Deps, 'sites'>, siteId: SiteId, clientId: string) =>
  sites.get(siteId)?.config.clients?.find(({ id }) => id === clientId)

/** One job for each client that knew the user and has a deletion webhook. */
export async function queueDeletionWebhooks(
  tx: Db,
  deps: Pick<Deps, 'sites' | 'clock'>,
  { siteId, userId, clients }: { siteId: SiteId; userId: UserId; clients: string[] },
): Promise<void> {
  const time = deps.clock.now()
  for (const clientId of clients) {
    if (clientOf(deps, siteId, clientId)?.deletionUrl === undefined) continue
    await queueDeletionWebhook(tx, { siteId, clientId, userId, time, id: randomUUID() })
  }
}

/** What a client calls a user. */
export type ClientSubject = (
  deps: Pick<Deps, 'db' | 'config'>,
  siteId: SiteId,
  client: Client,
  userId: UserId,
) => Promise<string>

export function deletionWebhookJob(deps: Needs, subjectOf: ClientSubject): Job {
  return {
    name: 'client-told',
    async run(data) {
      const { siteId, clientId, userId, time, id } = data as Gone
      const client = clientOf(deps, siteId, clientId)
      const secret = client && unsealSecret(deps.config.keys, siteId, secretPaths.client(client.id), client.secret)
      const about = { site: siteId, client: clientId, delivery: id }
      if (!client?.deletionUrl || !secret)
        return deps.log.warn(about, 'a client can no longer be notified of an erasure')
      const subject = await subjectOf(deps, siteId, client, userId)
      const body = JSON.stringify({ event: 'account.deleted', id: subject, time })
      const outcome = await sendWebhook(deps, { url: client.deletionUrl, client: clientId, secret, delivery: id, body })
      if (outcome.kind === 'sent') return
      const answer = outcome.kind === 'refused' ? outcome.code : outcome.reason
      deps.log.warn({ ...about, answer }, 'delivery of an erasure webhook is not confirmed')
      if (!isFinal(outcome)) throw new Error(`delivery of the webhook is not confirmed: ${answer}`)
    },
  }
}
