import { randomUUID } from 'node:crypto'
import { sendEvent, type Tried } from '../../integrations/webhook/standard-webhook.ts'
import { counter } from '../../platform/metrics/metrics.ts'
import { repeatEvery } from '../../platform/repeat-every.ts'
import type { Deps } from '../../shared/deps.ts'
import type { HeldEndpoint } from '../../shared/events/held-endpoint.ts'
import { secretPaths, unsealSecret } from '../../shared/sites/site-secrets.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { notifyEndpointDisabled } from '../users/admin-notices.ts'
import { type DueDelivery, listDue, makeDeliveries, settle } from './deliveries.store.ts'
import {
  disableEndpoint,
  failuresToRest,
  holdEndpoints,
  noteFailing,
  noteHealthy,
  releaseEndpoint,
  renewHold,
} from './endpoints.store.ts'

export type LaneNeeds = Pick<Deps, 'db' | 'sites' | 'config' | 'clock' | 'log'> & { webhookTimeoutMs?: number }

const everyMs = 250
/** Of one worker. Each has its own endpoint, so none waits for another's. */
const lanesMost = 64
/** Of one endpoint, each of another user. */
const atOnce = 16
/** Then other endpoints have their turn. */
const laneMs = 10_000

const delivered = counter('hufu_webhook_deliveries_total', 'Tries to deliver an event, by what came of them.')
for (const outcome of ['delivered', 'refused', 'unanswered']) delivered.of({ outcome })
const disabled = counter('hufu_webhook_disabled_total', 'Endpoints that were disabled because they kept failing.')
disabled.of()

interface Receiver {
  site: Site
  url: string
  secrets: string[]
  types: readonly string[] | undefined
}

/** What the config says of it now; undefined where it moved or is gone, which its row will soon say too. */
function receiverOf(
  { sites, config: { keys } }: Pick<Deps, 'sites' | 'config'>,
  { siteId, id, url }: Pick<HeldEndpoint, 'siteId' | 'id' | 'url'>,
): Receiver | undefined {
  const site = sites.get(siteId)
  const webhook = site?.config.webhooks?.find((each) => each.id === id)
  if (!site || webhook?.url !== url) return undefined
  const secrets = [
    unsealSecret(keys, siteId, secretPaths.webhook(id, url), webhook.secret),
    unsealSecret(keys, siteId, secretPaths.previousOfWebhook(id, url), webhook.previousSecret),
  ].filter((secret) => secret !== undefined)
  return { site, url, secrets, types: webhook.types }
}

async function deliver(deps: LaneNeeds, { url, secrets }: Receiver, due: DueDelivery): Promise<Tried> {
  // A receiver could not tell an unsigned delivery from a forged one.
  if (secrets.length === 0) return { failure: 'NO_SECRET', durationMs: 0 }
  const { type, timestamp, data, eventId: id } = due
  return await sendEvent(deps, { url, secrets, id, body: JSON.stringify({ type, timestamp, data }) })
}

const isDelivered = ({ status }: Tried) => status !== undefined && status >= 200 && status < 300

function outcomeOf(tried: Tried): string {
  if (isDelivered(tried)) return 'delivered'
  return tried.status === undefined ? 'unanswered' : 'refused'
}

async function disable(deps: LaneNeeds, endpoint: HeldEndpoint, site: Site, reason: string): Promise<void> {
  await deps.db.transaction().execute(async (tx) => {
    if (!(await disableEndpoint(tx, endpoint, reason))) return
    await notifyEndpointDisabled(tx, site, endpoint.id, deps.clock.now())
  })
  disabled.add({})
  deps.log.warn({ site: endpoint.siteId, endpoint: endpoint.id, reason }, 'a webhook endpoint was disabled')
}

/** The next batch; false where nothing is due. */
async function deliverBatch(
  deps: LaneNeeds,
  endpoint: HeldEndpoint,
  receiver: Receiver,
  failures: number,
): Promise<boolean> {
  const most = failures >= failuresToRest ? 1 : atOnce
  let due = await listDue(deps.db, endpoint, most)
  if (due.length < most) {
    await deps.db.transaction().execute((tx) => makeDeliveries(tx, endpoint, receiver.types))
    due = await listDue(deps.db, endpoint, most)
  }
  if (due.length === 0) return false
  const tried = await Promise.all(
    due.map(async (each) => ({ pos: each.pos, ...(await deliver(deps, receiver, each)) })),
  )
  for (const each of tried) delivered.add({ outcome: outcomeOf(each) })
  const settled = tried.map((each) => ({ ...each, done: isDelivered(each) }))
  const { givenUp } = await settle(deps.db, endpoint, settled)
  if (settled.some(({ done }) => done)) await noteHealthy(deps.db, endpoint, failures)
  else await noteFailing(deps.db, endpoint, settled.length)
  const gone = settled.some(({ status }) => status === 410)
  if (gone || givenUp) await disable(deps, endpoint, receiver.site, gone ? 'gone' : 'failing')
  return true
}

/** Delivers until nothing is due, the endpoint is to be left alone, or others have their turn. */
export async function runLane(deps: LaneNeeds, endpoint: HeldEndpoint): Promise<void> {
  const until = performance.now() + laneMs
  try {
    while (performance.now() < until) {
      const held = await renewHold(deps.db, endpoint)
      const receiver = held && receiverOf(deps, endpoint)
      if (!receiver || !(await deliverBatch(deps, endpoint, receiver, held.failures))) break
    }
  } finally {
    await releaseEndpoint(deps.db, endpoint)
  }
}

/** Runs in every worker: each endpoint is delivered to by one of them at a time. */
export function startLanes(deps: LaneNeeds): { stop(): Promise<void> } {
  const worker = randomUUID()
  const running = new Set<Promise<void>>()
  function start(endpoint: HeldEndpoint) {
    const about = { site: endpoint.siteId, endpoint: endpoint.id }
    const lane = runLane(deps, endpoint)
      .catch((error) => deps.log.warn({ err: error, ...about }, 'deliveries to an endpoint were interrupted'))
      .finally(() => running.delete(lane))
    running.add(lane)
  }
  const looking = repeatEvery(everyMs, async () => {
    const free = lanesMost - running.size
    if (free <= 0) return
    try {
      for (const endpoint of await holdEndpoints(deps.db, worker, free)) start(endpoint)
    } catch (error) {
      deps.log.warn({ err: error }, 'deliveries wait for the database')
    }
  })
  async function stop() {
    looking.stop()
    await Promise.all(running)
  }
  return { stop }
}
