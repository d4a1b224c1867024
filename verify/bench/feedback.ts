import { setTimeout as sleep } from 'node:timers/promises'
import type { Endpoint, InputOf } from '@hufu/contract/endpoint'
import {
  listFeedback,
  listMerchantFeedback,
  readMerchantFeedback,
  replyFeedback,
  sendFeedback,
} from '@hufu/contract/feedback'
import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import { createUser } from '../../apps/server/src/features/users/users.service.ts'
import type { SiteId, UserId } from '../../apps/server/src/platform/ids.ts'
import type { Deps } from '../../apps/server/src/shared/deps.ts'
import { makeOperator } from '../../apps/server/test/enrolled.ts'
import { type Figure, median } from '../harness/figures.ts'
import { type BenchGround, layBenchGround } from './bench-environment.ts'
import { withLoadConnection } from './load-connection.ts'
import { post } from './post.ts'
import { host, sessionOf } from './user-session.ts'

const few = 1_000
const entriesEach = 10
const conversationsEach = 10
const samples = 100
const rounds = 3

/**
 * Conversations of ten entries, as they come about: many go on at once, so that the entries of one lie apart, and a
 * fifth of them waits. Indexes are built at the end, which takes a fraction of the time.
 */
async function loadConversations({ config }: Pick<Deps, 'config'>, site: SiteId, count: number): Promise<void> {
  await withLoadConnection(config, async (client) => {
    await client.query(
      `INSERT INTO users (site_id, id, listed_at, mobile_prefix, mobile)
       SELECT $1, gen_random_uuid(), now(), '86', (13000000000 + n)::text FROM generate_series(1, $2::int) n`,
      [site, Math.ceil(count / conversationsEach)],
    )
    await client.query(
      `WITH people AS (SELECT id, row_number() OVER () - 1 AS place FROM users WHERE site_id = $1),
       made AS (
         INSERT INTO feedback (site_id, id, user_id, status, last_seq, user_texts, merchant_texts, created_at, last_message_at, waiting_since, user_seen, merchant_seen)
         SELECT $1, gen_random_uuid(), p.id, CASE WHEN n % 5 = 0 THEN 1 ELSE 2 + n % 3 END, $3, $3 / 2, $3 / 2,
           now() - make_interval(secs => $2 - n + 100), now() - make_interval(secs => $2 - n),
           CASE WHEN n % 5 = 0 THEN now() - make_interval(secs => $2 - n) END, $3, $3
         FROM generate_series(0, $2::int) n JOIN people p ON p.place = n / $4
         RETURNING site_id, user_id, id)
       INSERT INTO feedback_of_user (site_id, user_id, feedback_id) SELECT * FROM made`,
      [site, count - 1, entriesEach, conversationsEach],
    )
    const { rows } = await client.query<{ name: string; definition: string; key: boolean }>(
      `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition, indisprimary AS key
       FROM pg_index WHERE indrelid = 'feedback_entry'::regclass`,
    )
    for (const { name, key } of rows)
      await client.query(key ? `ALTER TABLE feedback_entry DROP CONSTRAINT ${name}` : `DROP INDEX ${name}`)
    const words = '您好，订单已经三天没有更新物流信息了，请帮忙看一下，谢谢。'
    for (let seq = 1; seq <= entriesEach; seq++) {
      await client.query(
        `INSERT INTO feedback_entry (site_id, feedback_id, seq, role, author_id, message, at, client_key)
         SELECT site_id, id, $2, CASE WHEN $2 % 2 = 1 THEN 'user' ELSE 'merchant' END, user_id, $3, created_at, gen_random_uuid()::text
         FROM feedback WHERE site_id = $1`,
        [site, seq, words],
      )
    }
    for (const { name, definition, key } of rows) {
      await client.query(definition)
      if (key) await client.query(`ALTER TABLE feedback_entry ADD CONSTRAINT ${name} PRIMARY KEY USING INDEX ${name}`)
    }
    await client.query('VACUUM ANALYZE users, feedback, feedback_entry, feedback_of_user')
    await client.query('CHECKPOINT')
  })
}

interface Talk {
  id: string
  user: Record<string, string>
}

interface Place {
  url: string
  operator: Record<string, string>
  /** Conversations that are open, picked by chance, and the browsers of their users. */
  talks: Talk[]
}

async function gather(bench: BenchGround, count: number): Promise<Place> {
  const environment = { ...(await bench.database(`talks_${count}`)), HUFU_TRUSTED_PROXIES: '127.0.0.0/8' }
  const deps = await bench.deps(environment)
  const site = await createSite(deps, { origin: `https://${host}`, config: {} }, 'bench')
  const started = performance.now()
  await loadConversations(deps, site, count)
  console.log(`${count} conversations loaded in ${Math.round((performance.now() - started) / 1000)} s`)
  const clerk = await createUser(deps, site, { username: 'bench_clerk' }, 'bench')
  await makeOperator(deps, site, clerk, ['READ', 'WRITE'], 'bench')
  const { rows } = await deps.pool.query<{ id: string; userId: UserId }>(
    'SELECT id, user_id AS "userId" FROM feedback WHERE site_id = $1 AND status < 4 ORDER BY random() LIMIT $2',
    [site, samples],
  )
  const talks: Talk[] = []
  for (const { id, userId } of rows) talks.push({ id, user: await sessionOf(deps, site, userId) })
  const operator = await sessionOf(deps, site, clerk)
  const { url } = await bench.server(environment)
  return { url, operator, talks }
}

let address = 0

/** One call from a new address, which must succeed; returns its duration. */
async function timed<E extends Endpoint>(
  { url }: Place,
  browser: Record<string, string>,
  endpoint: E,
  input: InputOf<E>,
): Promise<number> {
  address++
  const headers = {
    ...browser,
    'x-forwarded-for': `20.${(address >> 16) & 255}.${(address >> 8) & 255}.${address & 255}`,
  }
  const begun = performance.now()
  const { status, body } = await post(url + endpoint.path, headers, JSON.stringify(input))
  if (status !== 200) throw new Error(`${endpoint.path} answered ${status} ${body}`)
  return performance.now() - begun
}

type Step = (place: Place, talk: Talk) => Promise<number>

const steps: Record<string, Step> = {
  'the list of an operator': (place) => timed(place, place.operator, listMerchantFeedback, { brief: true }),
  'the list of those who wait longest': (place) =>
    timed(place, place.operator, listMerchantFeedback, { brief: true, waiting: true, longestFirst: true }),
  "a user's own list": (place, { user }) => timed(place, user, listFeedback, { brief: true }),
  'opening a conversation': (place, { id }) => timed(place, place.operator, readMerchantFeedback, { id }),
  'a message of a user': (place, { id, user }) =>
    timed(place, user, sendFeedback, { id, message: '还在吗？', key: crypto.randomUUID() }),
  'a reply': (place, { id }) =>
    timed(place, place.operator, replyFeedback, { id, message: '在的，请稍等。', key: crypto.randomUUID() }),
}

/** The same call in both places in turn, so that other load disturbs both alike. */
async function measure(step: Step, small: Place, large: Place): Promise<{ small: number; large: number }> {
  const times = { small: [] as number[], large: [] as number[] }
  for (let sample = 0; sample < samples; sample++) {
    for (const [size, place] of [
      ['small', small],
      ['large', large],
    ] as const)
      times[size].push(await step(place, place.talks[sample % place.talks.length] as Talk))
  }
  return { small: median(times.small), large: median(times.large) }
}

/** `pnpm bench feedback 20000`: lists, opening and sending among many conversations against the same among a thousand. */
export default async function feedback(_seconds: number, [count = '1000000']: string[] = []): Promise<Figure[]> {
  const bench = await layBenchGround()
  try {
    const small = await gather(bench, few)
    const large = await gather(bench, Number(count))
    await sleep(1_000)
    const measured: Record<string, { small: number; large: number }[]> = {}
    for (let round = -1; round < rounds; round++) {
      for (const [name, step] of Object.entries(steps)) {
        const result = await measure(step, small, large)
        // The first round warms both up.
        if (round >= 0) measured[name] = [...(measured[name] ?? []), result]
      }
    }
    return Object.entries(measured).map(([name, results]) => ({
      name: `${name} at ${count} conversations against ${few}, median time`,
      value: median(results.map((result) => result.large / result.small)),
      limit: ['<=', 1.5],
      from: `${median(results.map((result) => result.large)).toFixed(2)} ms against ${median(results.map((result) => result.small)).toFixed(2)} ms`,
    }))
  } finally {
    await bench.stop()
  }
}
