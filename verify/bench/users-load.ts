import type { Client } from 'pg'
import type { SiteId } from '../../apps/server/src/platform/ids.ts'
import type { Deps } from '../../apps/server/src/shared/deps.ts'
import { withLoadConnection } from './load-connection.ts'

const batch = 500_000

/** The n-th user's id follows from n, so that no query is needed for it. */
const id = 'md5($1::uuid::text || n::text)::uuid'

const names = (table: 'identity' | 'user_identity') => `INSERT INTO ${table} (site_id, user_id, kind, value)
  SELECT $1::uuid, ${id}, 'mobile', '+86' || (13000000000 + n)::text FROM generate_series($2::bigint, $3::bigint) n UNION ALL
  SELECT $1::uuid, ${id}, 'username', 'user' || n FROM generate_series($2::bigint, $3::bigint) n WHERE n % 5 = 0 UNION ALL
  SELECT $1::uuid, ${id}, 'email', 'person' || n || '@example.com' FROM generate_series($2::bigint, $3::bigint) n WHERE n % 3 = 0`

/** One came every second. Half are called 小明, and one in ten thousand is disabled. */
const users = `INSERT INTO users (site_id, id, listed_at, status, nickname, mobile_prefix, mobile, username, email)
  SELECT $1::uuid, ${id}, now() - interval '1 hour' - make_interval(secs => $4 - n),
    CASE WHEN n % 10000 = 7 THEN 'disabled' ELSE 'active' END,
    CASE WHEN n % 2 = 1 THEN '小明' || n ELSE chr((19968 + n % 6000)::int) || '先生' END,
    '86', (13000000000 + n)::text, CASE WHEN n % 5 = 0 THEN 'user' || n END,
    CASE WHEN n % 3 = 0 THEN 'person' || n || '@example.com' END
  FROM generate_series($2::bigint, $3::bigint) n`

const accesses = `INSERT INTO user_access (site_id, user_id, last_access)
  SELECT $1::uuid, ${id}, now() - make_interval(secs => n % 1000000) FROM generate_series($2::bigint, $3::bigint) n`

const tables = {
  users,
  identity: names('identity'),
  user_identity: names('user_identity'),
  user_access: accesses,
}

/** Fills a table without its indexes and builds them at the end, which takes a fraction of the time. */
async function fill(client: Client, table: string, work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string; key: boolean }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition, indisprimary AS key
     FROM pg_index WHERE indrelid = $1::regclass`,
    [table],
  )
  for (const { name, key } of rows)
    await client.query(key ? `ALTER TABLE ${table} DROP CONSTRAINT ${name}` : `DROP INDEX ${name}`)
  await work()
  for (const { name, definition, key } of rows) {
    await client.query(definition)
    if (key) await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} PRIMARY KEY USING INDEX ${name}`)
  }
}

/** Users with numbers, nicknames, some of them with usernames and addresses, in the order in which they came. */
export async function loadUsers({ config }: Pick<Deps, 'config'>, site: SiteId, count: number): Promise<void> {
  await withLoadConnection(config, async (client) => {
    for (const [table, insert] of Object.entries(tables)) {
      await fill(client, table, async () => {
        for (let from = 0; from < count; from += batch) {
          const last = Math.min(from + batch, count) - 1
          await client.query(insert, table === 'users' ? [site, from, last, count] : [site, from, last])
        }
      })
    }
    await client.query(
      `INSERT INTO permission (site_id, user_id, area, action)
       SELECT $1::uuid, ${id}, 'MERCHANT', 'READ' FROM generate_series(0, 20) n`,
      [site],
    )
    await client.query(`VACUUM ANALYZE ${Object.keys(tables).join(', ')}, permission`)
    await client.query('CHECKPOINT')
  })
}
