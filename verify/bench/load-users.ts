import { setTimeout as sleep } from 'node:timers/promises'
import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import { keyedHash } from '../../apps/server/src/platform/crypto/hash.ts'
import type { SiteId } from '../../apps/server/src/platform/ids.ts'
import type { Deps } from '../../apps/server/src/shared/deps.ts'
import { type Figure, median } from '../harness/figures.ts'
import { type BenchGround, layBenchGround } from './bench-environment.ts'
import { withLoadConnection } from './load-connection.ts'
import { cookiesOf, post } from './post.ts'

const few = 10_000
const samples = 300
const rounds = 3
const host = 'id.example.com'
const code = '123456'

/** Users with numbers and usernames, in the order in which they came. */
async function loadUsers({ config }: Pick<Deps, 'config'>, site: SiteId, count: number): Promise<void> {
  const batch = 250_000
  await withLoadConnection(config, async (client) => {
    for (let from = 0; from < count; from += batch) {
      await client.query(
        `WITH made AS (
           INSERT INTO users (site_id, id, listed_at, mobile_prefix, mobile, username)
           SELECT $1, gen_random_uuid(), now() - make_interval(secs => $3 - n), '86', (13000000000 + n)::text, 'user' || n
           FROM generate_series($2::bigint, $2::bigint + $4 - 1) n RETURNING id, mobile, username),
         named AS (
           INSERT INTO identity (site_id, kind, value, user_id)
           SELECT $1, 'mobile', '+86' || mobile, id FROM made UNION ALL SELECT $1, 'username', username, id FROM made)
         INSERT INTO user_identity (site_id, user_id, kind, value)
         SELECT $1, id, 'mobile', '+86' || mobile FROM made UNION ALL SELECT $1, id, 'username', username FROM made`,
        [site, from, count, Math.min(batch, count - from)],
      )
    }
    await client.query('ANALYZE users, identity, user_identity')
  })
}

interface Crowd {
  url: string
  deps: Deps
  site: SiteId
  count: number
}

async function gather(bench: BenchGround, count: number): Promise<Crowd> {
  const environment = { ...(await bench.database(`crowd_${count}`)), HUFU_TRUSTED_PROXIES: '127.0.0.0/8' }
  const deps = await bench.deps(environment)
  const site = await createSite(deps, { origin: `https://${host}`, config: {} }, 'bench')
  const started = performance.now()
  await loadUsers(deps, site, count)
  console.log(`${count} users loaded in ${Math.round((performance.now() - started) / 1000)} s`)
  const { url } = await bench.server(environment)
  return { url, deps, site, count }
}

/** Random users of the crowd sign in by code and ask for their info; the median time of each call. */
async function measure({ url, deps, site, count }: Crowd, round: number): Promise<{ signIn: number; info: number }> {
  const times = { signIn: [] as number[], info: [] as number[] }
  for (let sample = 0; sample < samples; sample++) {
    const mobile = String(13_000_000_000 + Math.floor(Math.random() * count))
    const hmac = keyedHash(deps.config.keys, 'code', `${site}/code/login/+86${mobile} ${code}`)
    await deps.pool.query(
      `INSERT INTO code (site_id, receiver, purpose, hmac, sealed, browser_hash, expires_at)
       VALUES ($1, $2, 'login', $3, '', '', now() + interval '1 hour')
       ON CONFLICT (site_id, receiver, purpose) DO UPDATE SET hmac = excluded.hmac, spent_at = NULL, other_tries = 0`,
      [site, `+86${mobile}`, hmac],
    )
    const headers = { host, 'sec-fetch-site': 'same-origin', 'x-forwarded-for': `20.${round}.${sample % 250}.1` }
    const begun = performance.now()
    const signedIn = await post(
      `${url}/api/login/mobile`,
      headers,
      JSON.stringify({ mobilePrefix: '86', mobile, code }),
    )
    times.signIn.push(performance.now() - begun)
    const cookie = cookiesOf(signedIn.headers)
    const asked = performance.now()
    const info = await post(`${url}/api/user/info`, { ...headers, cookie })
    times.info.push(performance.now() - asked)
    if (signedIn.status !== 200 || info.status !== 200)
      throw new Error(`answered ${signedIn.status} and ${info.status}`)
  }
  return { signIn: median(times.signIn), info: median(times.info) }
}

/** `pnpm bench load-users 10000000`: signing in and info among many users against the same among ten thousand. */
export default async function growth(_seconds: number, [count = '1000000']: string[] = []): Promise<Figure[]> {
  const bench = await layBenchGround()
  try {
    const small = await gather(bench, few)
    const large = await gather(bench, Number(count))
    await sleep(1_000)
    const ratios: { signIn: number; info: number }[] = []
    for (let round = 0; round < rounds; round++) {
      const a = await measure(small, round * 2)
      const b = await measure(large, round * 2 + 1)
      ratios.push({ signIn: b.signIn / a.signIn, info: b.info / a.info })
    }
    return [
      {
        name: `sign-in at ${count} users against ${few}, median time`,
        value: median(ratios.map((r) => r.signIn)),
        limit: ['<=', 1.3],
      },
      {
        name: `info at ${count} users against ${few}, median time`,
        value: median(ratios.map((r) => r.info)),
        limit: ['<=', 1.3],
      },
    ]
  } finally {
    await bench.stop()
  }
}
