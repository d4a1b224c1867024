import { type Window, windows } from '@hufu/contract/statistics-rules'
import type { ClientBase } from 'pg'
import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import { spansOf } from '../../apps/server/src/features/statistics/statistics.service.ts'
import { type Span, sumSpans } from '../../apps/server/src/features/statistics/statistics.store.ts'
import { usageDaysJob } from '../../apps/server/src/features/statistics/usage-days.ts'
import type { SiteId } from '../../apps/server/src/platform/ids.ts'
import type { Deps } from '../../apps/server/src/shared/deps.ts'
import { type Figure, median } from '../harness/figures.ts'
import { withLoadConnection } from './load-connection.ts'

const fullSize = 10_000_000
const batch = 1_000_000
const peopleEach = 10
const exactPeople = 3_000
const rounds = 3

/** Every call and every tenth time a sign-in as a row of its own, in the order in which they came. */
async function loadEvents(client: ClientBase, site: SiteId, { from, to }: Span, events: number, people: number) {
  for (let done = 0; done < events; done += batch) {
    await client.query(
      `INSERT INTO raw_event SELECT $1, to_timestamp(($2 + (n + random()) * $3) / 1000), md5(floor(random() * $4)::text)::uuid, n % 10 = 0
       FROM generate_series($5::int, $6::int - 1) n`,
      [site, from, (to - from) / events, people, done, Math.min(done + batch, events)],
    )
  }
}

/** The hours as processes would have written them. */
async function countHours(client: ClientBase): Promise<void> {
  await client.query(
    `INSERT INTO usage_hour (site_id, hour, api_access, accessed_users, authorize_access, authorized_users)
     SELECT site_id, date_trunc('hour', at), count(*), hll_add_agg(hll_hash_text(user_id::text), 14, 5, 4096, 1),
       count(*) FILTER (WHERE sign_in), hll_add_agg(hll_hash_text(user_id::text), 14, 5, 4096, 1) FILTER (WHERE sign_in)
     FROM raw_event GROUP BY 1, 2`,
  )
}

interface Sites {
  many: SiteId
  few: SiteId
}

async function fill(deps: Deps, now: number, events: number): Promise<Sites> {
  const many = await createSite(deps, { origin: 'https://many.example.com', config: {} }, 'bench')
  const few = await createSite(deps, { origin: 'https://few.example.com', config: {} }, 'bench')
  const { present } = spansOf('monthly', now)
  await withLoadConnection(deps.config, async (client) => {
    await client.query('CREATE UNLOGGED TABLE raw_event (site_id uuid, at timestamptz, user_id uuid, sign_in boolean)')
    await loadEvents(client, many, present, events, events / peopleEach)
    await loadEvents(client, few, present, exactPeople * peopleEach, exactPeople)
    await client.query('CREATE INDEX ON raw_event (site_id, at)')
    await countHours(client)
    await client.query('VACUUM ANALYZE raw_event, usage_hour')
  })
  await usageDaysJob(deps).run({})
  await withLoadConnection(deps.config, async (client) => void (await client.query('VACUUM ANALYZE usage_day')))
  return { many, few }
}

interface Compared {
  people: number
  error: number
  callError: number
}

interface Measured {
  ms: { raw: number; summed: number }
  many: Compared
  few: Compared
}

interface Counted {
  calls: number
  people: number
}

/** A full scan of the rows: what the sums are compared with. */
async function countRaw(client: ClientBase, site: SiteId, { from, to }: Span): Promise<Counted> {
  const { rows } = await client.query(
    `SELECT count(*)::float8 AS calls, count(DISTINCT user_id)::float8 AS people,
       count(*) FILTER (WHERE sign_in) AS "signIns", count(DISTINCT user_id) FILTER (WHERE sign_in) AS authorized
     FROM raw_event WHERE site_id = $1 AND at >= $2 AND at < $3`,
    [site, new Date(from), new Date(to)],
  )
  return rows[0]
}

async function countSummed({ db }: Deps, site: SiteId, span: Span): Promise<Counted> {
  const [sums] = await sumSpans(db, site, [span])
  return { calls: sums?.ApiAccess ?? 0, people: sums?.AccessedUsers ?? 0 }
}

async function timed(times: number, work: () => Promise<unknown>): Promise<number> {
  const taken: number[] = []
  for (let time = 0; time < times; time++) {
    const begun = performance.now()
    await work()
    taken.push(performance.now() - begun)
  }
  return median(taken)
}

/** In turn, so that other load disturbs both alike. */
async function compareTimes(raw: () => Promise<unknown>, summed: () => Promise<unknown>) {
  const taken = { raw: [] as number[], summed: [] as number[] }
  for (let round = 0; round < rounds; round++) {
    taken.raw.push(await timed(1, raw))
    taken.summed.push(await timed(15, summed))
  }
  return { raw: median(taken.raw), summed: median(taken.summed) }
}

const off = (estimated: number, counted: number) => Math.abs(estimated - counted) / counted

/** One window of a site with many users against the same counted from raw events, and of one with few for exactness. */
async function measureWindow(deps: Deps, client: ClientBase, { many, few }: Sites, span: Span): Promise<Measured> {
  const compare = async (site: SiteId) => {
    const [raw, summed] = [await countRaw(client, site, span), await countSummed(deps, site, span)]
    return { people: raw.people, error: off(summed.people, raw.people), callError: off(summed.calls, raw.calls) }
  }
  const ms = await compareTimes(
    () => countRaw(client, many, span),
    () => countSummed(deps, many, span),
  )
  return { ms, many: await compare(many), few: await compare(few) }
}

const figuresOf = (window: Window, events: number, { ms, many, few }: Measured): Figure[] => [
  {
    name: `${window}: times faster than counting ${events} raw events`,
    value: ms.raw / ms.summed,
    // Raw events take the longer the more there are, sums don't: among few of them the figure says nothing.
    limit: ['>=', events < fullSize ? 0 : 100],
    from: `${ms.summed.toFixed(2)} ms against ${ms.raw.toFixed(0)} ms`,
  },
  { name: `${window}: error of ${many.people} users`, value: many.error * 100, limit: ['<=', 3], unit: ' %' },
  { name: `${window}: error of ${few.people} users`, value: few.error, limit: ['<=', 0] },
  { name: `${window}: error of calls`, value: many.callError + few.callError, limit: ['<=', 0] },
]

export async function measureWindows(deps: Deps, events: number): Promise<Figure[]> {
  const now = Date.now()
  const sites = await fill(deps, now, events)
  const client = await deps.pool.connect()
  try {
    await client.query('SET statement_timeout = 0')
    const figures: Figure[] = []
    for (const window of windows) {
      const measured = await measureWindow(deps, client, sites, spansOf(window, now).present)
      figures.push(...figuresOf(window, events, measured))
    }
    return figures
  } finally {
    client.release(true)
  }
}
