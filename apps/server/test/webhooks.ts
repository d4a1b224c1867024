import { randomUUID } from 'node:crypto'
import type { SiteConfig } from '@hufu/contract/site'
import { numberAll } from '../src/features/events/number-events.ts'
import { holdEndpoints } from '../src/features/webhooks/endpoints.store.ts'
import { type LaneNeeds, runLane } from '../src/features/webhooks/lanes.ts'
import type { UserId } from '../src/platform/ids.ts'
import type { Deps } from '../src/shared/deps.ts'
import { recordEvent } from '../src/shared/events/record-event.ts'
import type { TestSite } from './test-app.ts'

export type WebhookConfig = NonNullable<SiteConfig['webhooks']>[number]

/** What a worker does until nothing is due. */
export async function workLanes(deps: Deps, { webhookTimeoutMs = 2_000 } = {}): Promise<void> {
  const needs: LaneNeeds = { ...deps, webhookTimeoutMs }
  await numberAll(deps)
  for (;;) {
    const held = await holdEndpoints(deps.db, randomUUID(), 64)
    if (held.length === 0) return
    await Promise.all(held.map((endpoint) => runLane(needs, endpoint)))
  }
}

/** As if so much time had passed for what waits; what is due already may be on its way. */
export async function passDeliveries({ pool }: Pick<Deps, 'pool'>, site: TestSite, interval: string): Promise<void> {
  await pool.query(
    `UPDATE delivery SET due_at = due_at - $2::interval, first_at = first_at - $2::interval
      WHERE site_id = $1 AND done_at IS NULL AND due_at > clock_timestamp()`,
    [site.id, interval],
  )
  await pool.query(
    `UPDATE endpoint SET next_at = next_at - $2::interval, rest_until = rest_until - $2::interval WHERE site_id = $1`,
    [site.id, interval],
  )
}

/** As if so much time had passed since a worker gave its last sign of life. */
export async function passHolds({ pool }: Pick<Deps, 'pool'>, site: TestSite, interval: string): Promise<void> {
  await pool.query('UPDATE endpoint SET held_until = held_until - $2::interval WHERE site_id = $1', [site.id, interval])
}

/** An event about a user who needn't exist. */
export const happen = (deps: Pick<Deps, 'db'>, site: TestSite, user: string, what: string): Promise<void> =>
  recordEvent(deps.db, site.id, { type: 'user.updated', subject: user as UserId, id: user, changed: [what] })
