import { randomUUID } from 'node:crypto'
import { type Outcome, unreachable } from '../../integrations/outcome.ts'
import { sendWebhook } from '../../integrations/webhook/webhook.ts'
import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Job } from '../../platform/jobs/jobs.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../../shared/deps.ts'
import { secretPaths, unsealSecret } from '../../shared/sites/site-secrets.ts'
import { type Gone, queueDeletionWebhook } from './closing.store.ts'

type Needs = Pick<Deps, 'sites' | 'config' | 'breaker' | 'clock' | 'log'>

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

const passes = (answer: string) => answer === unreachable || answer.startsWith('BREAKER_')

/** A refusal that a retry wouldn't change; the circuit breaker's is not one. */
const isFinal = (outcome: Outcome): boolean => outcome.kind === 'refused' && !passes(outcome.code)

export function deletionWebhookJob(deps: Needs): Job {
  return {
    name: 'client-told',
    async run(data) {
      const { siteId, clientId, userId, time, id } = data as Gone
      const client = clientOf(deps, siteId, clientId)
      const secret = client && unsealSecret(deps.config.keys, siteId, secretPaths.client(client.id), client.secret)
      const about = { site: siteId, client: clientId, delivery: id }
      if (!client?.deletionUrl || !secret)
        return deps.log.warn(about, 'a client can no longer be notified of an erasure')
      const body = JSON.stringify({ event: 'account.deleted', id: userId, time })
      const outcome = await sendWebhook(deps, { url: client.deletionUrl, client: clientId, secret, delivery: id, body })
      if (outcome.kind === 'sent') return
      const answer = outcome.kind === 'refused' ? outcome.code : outcome.reason
      deps.log.warn({ ...about, answer }, 'delivery of an erasure webhook is not confirmed')
      if (!isFinal(outcome)) throw new Error(`delivery of the webhook is not confirmed: ${answer}`)
    },
  }
}
