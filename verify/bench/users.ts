import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WantedUsers } from '@hufu/contract/merchant-users'
import { listUsers } from '../../apps/server/src/features/merchant-users/user-list.service.ts'
import { closeBuckets } from '../../apps/server/src/features/merchant-users/user-list-index-job.ts'
import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import { deleteUser } from '../../apps/server/src/features/users/user-list-index.store.ts'
import { insertUser } from '../../apps/server/src/features/users/users.store.ts'
import type { UserId } from '../../apps/server/src/platform/ids.ts'
import type { Deps } from '../../apps/server/src/shared/deps.ts'
import type { Site } from '../../apps/server/src/shared/sites/sites.ts'
import { type Figure, median } from '../harness/figures.ts'
import { type BenchGround, layBenchGround } from './bench-environment.ts'
import { host } from './user-session.ts'
import { loadUsers } from './users-load.ts'

const few = 10_000
const samples = 200
const rounds = 5
const exactRows = 10_000

/** Changes a second, and for how long. */
const churn = { inserts: 200, deletions: 20, seconds: 5 }

interface Crowd {
  deps: Deps
  site: Site
  count: number
}

async function gather(bench: BenchGround, count: number): Promise<Crowd> {
  const deps = await bench.deps(await bench.database(`people_${count}`))
  const id = await createSite(deps, { origin: `https://${host}`, config: {} }, 'bench')
  await deps.sites.refresh()
  const site = deps.sites.get(id)
  if (!site) throw new Error('no site')
  const started = performance.now()
  await loadUsers(deps, id, count)
  const loaded = performance.now()
  await closeBuckets(deps.db, id)
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  console.log(`${count} users loaded in ${seconds(loaded - started)}, sealed in ${seconds(performance.now() - loaded)}`)
  return { deps, site, count }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

const list = ({ deps, site }: Crowd, wanted: WantedUsers & { skip?: number; top?: number }) =>
  listUsers(deps, site, { skip: 0, top: 10, ...wanted })

const anyPage = (crowd: Crowd) => list(crowd, { skip: Math.floor(Math.random() * (crowd.count - 10)) })

/** One row by its key, through the same driver: the minimal cost of a query. */
async function point({ deps, site, count }: Crowd): Promise<void> {
  const { rowCount } = await deps.pool.query({
    name: 'point',
    text: 'SELECT nickname FROM users WHERE site_id = $1 AND id = md5($1::uuid::text || ($2::bigint)::text)::uuid',
    values: [site.id, Math.floor(Math.random() * count)],
  })
  if (rowCount !== 1) throw new Error('no such user')
}

/** Tasks in turn, so that other load disturbs all alike; the median time of each in each round. */
async function byTurns(works: (() => Promise<unknown>)[]): Promise<number[][]> {
  const results: number[][] = []
  for (let round = -1; round < rounds; round++) {
    const times = works.map(() => [] as number[])
    for (let sample = 0; sample < samples; sample++)
      for (const [index, work] of works.entries()) times[index]?.push(await timed(work))
    // The first round warms up.
    if (round >= 0) results.push(times.map(median))
  }
  return results
}

/** The ratio of two of the works. */
function against(results: number[][], one: number, other: number): Pick<Figure, 'value' | 'from'> {
  const of = (index: number) => results.map((round) => round[index] ?? Number.NaN)
  const ratios = results.map((round) => (round[one] ?? Number.NaN) / (round[other] ?? Number.NaN))
  return { value: median(ratios), from: `${median(of(one)).toFixed(3)} ms against ${median(of(other)).toFixed(3)} ms` }
}

async function pages(crowds: Crowd[]): Promise<Figure[]> {
  const largest = crowds.at(-1) as Crowd
  const results = await byTurns([...crowds.map((crowd) => () => anyPage(crowd)), () => point(largest)])
  return [
    ...crowds.slice(1).map(({ count }, index) => ({
      name: `any page of ${count} users against one of ${few}, median time`,
      limit: ['<=', 1.5] as Figure['limit'],
      ...against(results, index + 1, 0),
    })),
    {
      name: `any page of ${largest.count} users against a point SELECT, median time`,
      limit: ['<=', 5],
      ...against(results, crowds.length - 1, crowds.length),
    },
  ]
}

/** What an operator may search for, about a random user. */
const searches: Record<string, (n: number, id: string, now: number) => WantedUsers> = {
  'a whole mobile': (n) => ({ search: String(13_000_000_000 + n) }),
  'the last four of a mobile': (n) => ({ search: String(10_000 + (n % 10_000)).slice(1) }),
  'an e-mail': (n) => ({ search: `person${n - (n % 3)}@example.com` }),
  'a username': (n) => ({ search: `user${n - (n % 5)}` }),
  'an id': (_, id) => ({ search: id }),
  'a short id': (_, id) => ({ search: id.slice(0, 8) }),
  'a nickname of few': (n) => ({ search: `小明${n - (n % 2) + 1}` }),
  'a nickname of very many': () => ({ search: '小' }),
  'no user at all': () => ({ search: 'nothing at all' }),
  'disabled users': () => ({ only: 'disabled' }),
  operators: () => ({ only: 'operators' }),
  'users of some days': (n, _, now) => ({ from: now - n * 1000 - 172_800_000, to: now - n * 1000 }),
}

async function search(crowd: Crowd): Promise<Figure[]> {
  const { deps, site, count } = crowd
  const { rows } = await deps.pool.query<{ n: number; id: string }>(
    'SELECT n, md5($1::uuid::text || n::text)::uuid AS id FROM (SELECT floor(random() * $2)::int AS n FROM generate_series(1, 500)) picked',
    [site.id, count],
  )
  const now = Date.now()
  const any = () => rows[Math.floor(Math.random() * rows.length)] ?? { n: 0, id: '' }
  const works = Object.values(searches).map((wanted) => () => {
    const { n, id } = any()
    return list(crowd, wanted(n, id, now))
  })
  const results = await byTurns([...works, () => point(crowd)])
  return Object.keys(searches).map((name, index) => ({
    name: `${name} among ${count} users against a point SELECT, median time`,
    limit: ['<=', 20],
    ...against(results, index, works.length),
  }))
}

async function deleteAny({ deps, site }: Crowd): Promise<void> {
  const { rows } = await deps.pool.query<{ id: UserId }>(
    'SELECT id FROM users WHERE site_id = $1 AND id >= $2 ORDER BY id LIMIT 1',
    [site.id, randomUUID()],
  )
  const id = rows[0]?.id
  if (id) await deps.db.transaction().execute((tx) => deleteUser(tx, site.id, id))
}

const addOne = ({ deps, site }: Crowd) =>
  deps.db
    .transaction()
    .execute((tx) => insertUser(tx, site.id, { username: `n${randomUUID().replaceAll('-', '').slice(0, 18)}` }))

/** One second of users created and erased, while buckets are closed and pages are read; returns how many. */
async function churnSecond(crowd: Crowd): Promise<{ changed: number; ms: number }> {
  const ticks = 20
  const begun = performance.now()
  const changes: Promise<unknown>[] = []
  function start(change: Promise<unknown>) {
    // Awaited at the end of the second; one that fails before must not end the process.
    change.catch(() => {})
    changes.push(change)
  }
  for (let tick = 0; tick < ticks; tick++) {
    for (let n = 0; n < churn.inserts / ticks; n++) start(addOne(crowd))
    for (let n = 0; n < churn.deletions / ticks; n++) start(deleteAny(crowd))
    start(anyPage(crowd))
    await sleep(Math.max(begun + ((tick + 1) * 1000) / ticks - performance.now(), 0))
  }
  await Promise.all([...changes, closeBuckets(crowd.deps.db, crowd.site.id)])
  return { changed: churn.inserts + churn.deletions, ms: performance.now() - begun }
}

/** Pages of the first rows that aren't exactly what the database says at this moment, when nothing changes. */
async function wrongFirst(crowd: Crowd): Promise<number> {
  const { rows } = await crowd.deps.pool.query<{ id: string }>(
    'SELECT id FROM users WHERE site_id = $1 ORDER BY listed_at DESC, id DESC LIMIT $2',
    [crowd.site.id, Math.min(exactRows, crowd.count)],
  )
  let wrong = 0
  for (let skip = 0; skip < rows.length; skip += 100) {
    const { data } = await list(crowd, { skip, top: 100 })
    if (data.some(({ id }, place) => id !== rows[skip + place]?.id)) wrong++
  }
  return wrong
}

/** How far a row deep in the list is from where it was asked for. */
async function offDeep({ deps, site, count }: Crowd): Promise<number> {
  const skip = exactRows + Math.floor(Math.random() * (count - exactRows - 1_000))
  const { data } = await list({ deps, site, count }, { skip })
  const client = await deps.pool.connect()
  try {
    await client.query('SET statement_timeout = 0')
    const { rows } = await client.query<{ place: number }>(
      `SELECT count(*)::int AS place FROM users u, users own WHERE own.site_id = $1 AND own.id = $2
         AND u.site_id = $1 AND (u.listed_at, u.id) > (own.listed_at, own.id)`,
      [site.id, data[0]?.id],
    )
    return Math.abs((rows[0]?.place ?? Number.NaN) - skip)
  } finally {
    client.release(true)
  }
}

async function change(crowd: Crowd): Promise<Figure[]> {
  // What this process knows of the buckets is from now.
  await anyPage(crowd)
  let changed = 0
  let wrong = 0
  let beyond = 0
  const seconds: number[] = []
  for (let second = 0; second < churn.seconds; second++) {
    const { changed: more, ms } = await churnSecond(crowd)
    changed += more
    seconds.push(ms / 1000)
    wrong += await wrongFirst(crowd)
    for (let n = 0; n < 5; n++) beyond = Math.max(beyond, (await offDeep(crowd)) - changed)
  }
  const from = `${changed} changes, ${median(seconds).toFixed(2)} s for a second's`
  return [
    {
      name: `pages of the first ${exactRows} of ${crowd.count} that are wrong under churn`,
      value: wrong,
      limit: ['<=', 0],
      from,
    },
    {
      name: `rows by which deeper pages are off beyond what changed`,
      value: Math.max(beyond, 0),
      limit: ['<=', 0],
      from,
    },
  ]
}

/** `pnpm bench users 200000`: any page, every search and lists under churn among many users, against ten thousand and a bare SELECT. */
export default async function users(_seconds: number, [count = '10000000']: string[] = []): Promise<Figure[]> {
  const bench = await layBenchGround()
  try {
    const sizes = [few, 1_000_000, Number(count)].filter((size, index) => index !== 1 || size < Number(count))
    const crowds: Crowd[] = []
    for (const size of sizes) crowds.push(await gather(bench, size))
    const largest = crowds.at(-1) as Crowd
    return [...(await pages(crowds)), ...(await search(largest)), ...(await change(largest))]
  } finally {
    await bench.stop()
  }
}
