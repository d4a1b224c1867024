import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { Pool } from 'pg'
import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import { createUser } from '../../apps/server/src/features/users/users.service.ts'
import { keyedHash, newSecret, sha256 } from '../../apps/server/src/platform/crypto/hash.ts'
import type { SiteId } from '../../apps/server/src/platform/ids.ts'
import type { Deps } from '../../apps/server/src/shared/deps.ts'
import type { Environment } from '../../tools/run/product.ts'
import { type Figure, median } from '../harness/figures.ts'
import { layBenchGround } from './bench-environment.ts'
import { load } from './load.ts'

const rounds = 5
const host = 'id.example.com'
export const code = '123456'
const limits = { passwordFailures: 1_000_000_000 }

/** Numbers with accounts and a live code each, as if each had just been sent one. */
export async function prepareNumbers(
  { pool, config }: Deps,
  site: SiteId,
  from: number,
  count: number,
): Promise<string[]> {
  const numbers = Array.from({ length: count }, (_, index) => String(13_000_000_000 + from + index))
  const hmacs = numbers.map((number) => keyedHash(config.keys, 'code', `${site}/code/login/+86${number} ${code}`))
  await pool.query(
    `WITH given AS (SELECT gen_random_uuid() AS id, n, h FROM unnest($2::text[], $3::bytea[]) AS t (n, h)),
       a AS (INSERT INTO users (site_id, id, mobile_prefix, mobile) SELECT $1, id, '86', n FROM given),
       b AS (INSERT INTO identity (site_id, kind, value, user_id) SELECT $1, 'mobile', '+86' || n, id FROM given)
     INSERT INTO code (site_id, receiver, purpose, hmac, sealed, browser_hash, expires_at)
     SELECT $1, '+86' || n, 'login', h, '', '', now() + interval '1 hour' FROM given`,
    [site, numbers, hmacs],
  )
  return numbers
}

/** Runs the work over all items, so many at once, and answers how many a second. */
async function perSecond<Item>(items: Item[], atOnce: number, work: (item: Item) => Promise<void>): Promise<number> {
  const queue = [...items]
  const started = performance.now()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let item = queue.pop(); item !== undefined; item = queue.pop()) await work(item)
    }),
  )
  return items.length / ((performance.now() - started) / 1000)
}

/** The statements of a sign-in by code and nothing around them. */
async function bareSignIn(pool: Pool, site: SiteId, number: string): Promise<void> {
  const receiver = `+86${number}`
  const browser = sha256(newSecret())
  const tried = await pool.query(
    `WITH tried AS (
       UPDATE code SET own_tries = own_tries + CASE WHEN browser_hash = $3 THEN 1 ELSE 0 END,
         other_tries = other_tries + CASE WHEN browser_hash = $3 THEN 0 ELSE 1 END
       WHERE site_id = $1 AND receiver = $2 AND purpose = 'login' AND spent_at IS NULL AND expires_at > clock_timestamp()
         AND CASE WHEN browser_hash = $3 THEN own_tries ELSE other_tries END < 5
       RETURNING hmac
     )
     SELECT hmac, true AS counted FROM tried
     UNION ALL
     SELECT hmac, false FROM code WHERE NOT EXISTS (SELECT FROM tried) AND site_id = $1 AND receiver = $2
       AND purpose = 'login' AND spent_at IS NULL AND expires_at > clock_timestamp()`,
    [site, receiver, browser],
  )
  const client = await pool.connect()
  const session = randomUUID()
  await client.query('BEGIN')
  await client.query(
    "UPDATE code SET spent_at = now() WHERE site_id = $1 AND receiver = $2 AND purpose = 'login' AND hmac = $3 AND spent_at IS NULL AND expires_at > clock_timestamp()",
    [site, receiver, tried.rows[0].hmac],
  )
  const owner = await client.query(
    `SELECT i.user_id, u.status, i.proved_at < now() - interval '90 days' AS stale FROM identity i
       JOIN users u ON u.site_id = i.site_id AND u.id = i.user_id WHERE i.site_id = $1 AND i.kind = 'mobile' AND i.value = $2`,
    [site, receiver],
  )
  const user = owner.rows[0].user_id
  await client.query("UPDATE identity SET proved_at = now() WHERE site_id = $1 AND kind = 'mobile' AND value = $2", [
    site,
    receiver,
  ])
  await client.query(
    `WITH begun AS (
       INSERT INTO session (site_id, user_id, id, secret_hash, method, browser, device, os, address, browser_hash)
       VALUES ($1, $2, $3, $4, 'mobile', 'b', 'd', 'o', '127.0.0.1', $4)
     ), seen AS (
       INSERT INTO known_browser (site_id, user_id, cookie_hash) VALUES ($1, $2, $4) ON CONFLICT (site_id, user_id, cookie_hash) DO UPDATE SET last_used = now()
     ), person AS (
       INSERT INTO user_access (site_id, user_id) VALUES ($1, $2) ON CONFLICT (site_id, user_id) DO UPDATE SET last_access = now()
     ), forgotten AS (
       DELETE FROM session WHERE site_id = $1 AND user_id = $2 AND created_at < clock_timestamp() - interval '214 days' RETURNING id
     ), unused AS (
       DELETE FROM session_access WHERE site_id = $1 AND user_id = $2 AND session_id IN (SELECT id FROM forgotten)
     )
     INSERT INTO session_access (site_id, user_id, session_id) VALUES ($1, $2, $3)`,
    [site, user, session, browser],
  )
  await client.query(
    "INSERT INTO security_log (site_id, user_id, event, address, detail) VALUES ($1, $2, 'login', '127.0.0.1', $3)",
    [site, user, JSON.stringify({ method: 'mobile', browser: 'b', os: 'o', session })],
  )
  await client.query('COMMIT')
  client.release()
}

/** Signing in against its baselines: one password hash; the SQL of a code. */
export default async function signIn(seconds: number): Promise<Figure[]> {
  const bench = await layBenchGround()
  try {
    const environment: Environment = { ...(await bench.database('sign_in')), HUFU_TRUSTED_PROXIES: '127.0.0.0/8' }
    const deps = await bench.deps(environment)
    const site = await createSite(deps, { origin: `https://${host}`, config: { limits } }, 'bench')
    const account = { username: 'bench_person', password: 'Qy#2026autumn' }
    await createUser(deps, site, account, 'bench')
    const { url } = await bench.server(environment)
    const headers = { host, 'sec-fetch-site': 'same-origin' }
    const bare = new Pool({ connectionString: environment.HUFU_DATABASE_URL, max: deps.config.databasePool })
    bench.started.push({ stop: () => bare.end() })

    const passwords: number[] = []
    const codes: number[] = []
    // More than the sign-ins while it is measured.
    const each = seconds * 400
    const enough = seconds * 3_000
    for (let round = 0; round < rounds; round++) {
      const floor = Number(
        execFileSync(process.execPath, [join(import.meta.dirname, 'bare-argon2.ts')], {
          env: { ...process.env, SECONDS: String(seconds) },
          encoding: 'utf8',
        }),
      )
      const body = JSON.stringify({ account: account.username, password: account.password })
      const ours = await load(
        { url: `${url}/api/login/password`, hosts: [host], headers, body, addresses: 1000 },
        seconds,
        16,
      )
      if (ours.errors > 0) throw new Error(`${ours.errors} sign-ins by password failed`)
      passwords.push(ours.callsPerSecond / floor)

      const numbers = await prepareNumbers(deps, site, round * (each + enough), each + enough)
      const sql = await perSecond(numbers.slice(0, each), 16, (number) => bareSignIn(bare, site, number))
      const bodies = numbers.slice(each).map((mobile) => JSON.stringify({ mobilePrefix: '86', mobile, code }))
      const calls = await load({ url: `${url}/api/login/mobile`, hosts: [host], headers, bodies }, seconds, 16)
      if (calls.errors > 0) throw new Error(`${calls.errors} sign-ins by code failed`)
      codes.push(calls.callsPerSecond / sql)
    }
    return [
      { name: 'sign-in by password against bare argon2, sign-ins/s', value: median(passwords), limit: ['>=', 0.8] },
      { name: 'sign-in by code against its bare SQL, sign-ins/s', value: median(codes), limit: ['>=', 0.6] },
    ]
  } finally {
    await bench.stop()
  }
}
