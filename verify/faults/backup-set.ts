import type { SiteId } from '../../apps/server/src/platform/ids.ts'
import type { Deps } from '../../apps/server/src/shared/deps.ts'
import { withLoadConnection } from '../bench/load-connection.ts'
import { loadUsers } from '../bench/users-load.ts'

const id = 'md5($1::uuid::text || n::text)::uuid'
const other = (salt: string) => `md5($1::uuid::text || '${salt}' || n::text)::uuid`
const allUsers = 'generate_series(0, $2::bigint - 1) n'

/** Besides the users themselves: the data of years of use. */
const traces = [
  `INSERT INTO session (site_id, user_id, id, secret_hash, created_at, method, browser, device, os, address)
   SELECT $1::uuid, ${id}, ${other('session')}, sha256(n::text::bytea), now() - make_interval(secs => n), 'password', 'Chrome', '', 'Android', '10.0.0.1'
   FROM ${allUsers}`,
  `INSERT INTO session_access (site_id, user_id, session_id) SELECT $1::uuid, ${id}, ${other('session')} FROM ${allUsers}`,
  `INSERT INTO security_log (site_id, user_id, at, event, address, detail)
   SELECT $1::uuid, ${id}, now() - make_interval(days => (n % 90)::int, secs => often), 'login', '10.0.0.1', '{"browser": "Chrome"}'
   FROM ${allUsers}, generate_series(1, 2) often`,
  `INSERT INTO feedback (site_id, id, user_id, status, last_seq, last_message_at)
   SELECT $1::uuid, ${other('talk')}, ${id}, 0, 3, now() - make_interval(secs => n) FROM ${allUsers} WHERE n % 10 = 0`,
  `INSERT INTO feedback_of_user (site_id, user_id, feedback_id) SELECT $1::uuid, ${id}, ${other('talk')} FROM ${allUsers} WHERE n % 10 = 0`,
  `INSERT INTO feedback_entry (site_id, feedback_id, seq, role, author_id, message, at)
   SELECT $1::uuid, ${other('talk')}, seq, 'user', ${id}, '第' || seq || '条：包装破了，请问怎么退？', now() - make_interval(secs => n)
   FROM ${allUsers}, generate_series(1, 3) seq WHERE n % 10 = 0`,
  `INSERT INTO blob (site_id, id, owner_id, kind, type, bytes)
   SELECT $1::uuid, ${other('picture')}, ${id}, 'avatar', 'image/webp', decode(repeat(md5(n::text), 512), 'hex')
   FROM ${allUsers} WHERE n % 100 = 0`,
  `INSERT INTO user_export (site_id, id, operator_id, wanted, status, total)
   SELECT $1::uuid, ${other('export')}, ${id}, '{}', 'done', $2::int FROM generate_series(0, 2) n`,
  `INSERT INTO user_export_part (site_id, export_id, number, bytes)
   SELECT $1::uuid, ${other('export')}, part, decode(repeat(md5(part::text), 4096), 'hex')
   FROM generate_series(0, 2) n, generate_series(1, 10) part`,
  `INSERT INTO data_export (site_id, user_id, id, status, total)
   SELECT $1::uuid, ${id}, ${other('data')}, 'done', 9 FROM ${allUsers} WHERE n % 1000 = 0`,
]

/** So many users with sessions, logs, conversations, pictures and exports. */
export async function fill({ config }: Pick<Deps, 'config'>, site: SiteId, count: number): Promise<void> {
  await loadUsers({ config }, site, count)
  await withLoadConnection(config, async (client) => {
    await client.query('SET synchronous_commit = off')
    // A statement about a few users does not take the total as a parameter.
    for (const trace of traces) await client.query(trace, trace.includes('$2') ? [site, count] : [site])
  })
}
