import { sql } from 'kysely'
import { atMostEvery, type Collector } from '../../platform/metrics/metrics.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../../shared/deps.ts'

/** The waiting head of an endpoint is its first event that isn't confirmed; found by index, not by counting. */
async function readHealth(db: Db): Promise<{ lag: number; disabled: number; unnumbered: number }> {
  const { rows } = await sql<{ lag: number; disabled: number; unnumbered: number }>`
    SELECT coalesce(extract(epoch FROM clock_timestamp() - min(least(
        (SELECT v.at FROM delivery d JOIN event v ON v.site_id = d.site_id AND v.id = d.event_id
          WHERE d.site_id = e.site_id AND d.endpoint_id = e.id AND d.done_at IS NULL ORDER BY d.pos LIMIT 1),
        (SELECT v.at FROM event v WHERE v.site_id = e.site_id AND v.pos > e.pos ORDER BY v.pos LIMIT 1)))
        FILTER (WHERE e.disabled_at IS NULL)), 0)::float8 AS lag,
      count(*) FILTER (WHERE e.disabled_at IS NOT NULL)::int AS disabled,
      (SELECT coalesce(extract(epoch FROM clock_timestamp() - min(at)), 0)::float8 FROM event WHERE pos IS NULL)
        AS unnumbered
    FROM endpoint e`.execute(db)
  return rows[0] ?? { lag: 0, disabled: 0, unnumbered: 0 }
}

export function webhookCollectors({ db }: Pick<Deps, 'db'>): Collector[] {
  const look = atMostEvery(10_000, () => readHealth(db))
  return [
    {
      name: 'hufu_events_unnumbered_seconds',
      help: 'How long the oldest event has waited for its position.',
      read: async () => [{ value: (await look()).unnumbered }],
    },
    {
      name: 'hufu_webhook_lag_seconds',
      help: 'How long the oldest event has waited that an active endpoint has not confirmed.',
      read: async () => [{ value: (await look()).lag }],
    },
    {
      name: 'hufu_webhook_endpoints_disabled',
      help: 'Endpoints that get no deliveries until an operator resumes them.',
      read: async () => [{ value: (await look()).disabled }],
    },
  ]
}
