import { randomUUID } from 'node:crypto'
import { sha256 } from '../src/platform/crypto/hash.ts'
import { sessionOf, type TestApp, type TestBrowser, type TestSite } from './test-app.ts'

export interface Login {
  clientId: string
  sid: string
  grantId: string
}

/** What the provider stores when a browser's user signs in to a client: the grant, its tokens and the login. */
export async function signInToClient(
  t: Pick<TestApp, 'deps'>,
  site: TestSite,
  user: Pick<TestBrowser, 'cookies'> & { id: string },
  clientId: string,
  { offline = false } = {},
): Promise<Login> {
  const { pool } = t.deps
  const [grantId, sid] = [randomUUID(), randomUUID()]
  const item = `INSERT INTO oidc_item (site_id, kind, hash, grant_id, user_id, client_id, payload, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6, '{}', now() + interval '1 hour')`
  const of = [user.id, clientId]
  await pool.query(item, [site.id, 'Grant', sha256(grantId), grantId, ...of])
  for (const kind of ['AccessToken', 'RefreshToken'])
    await pool.query(item, [site.id, kind, sha256(randomUUID()), grantId, ...of])
  await pool.query(
    `INSERT INTO oidc_login (site_id, user_id, session_id, client_id, sid, grant_id, offline)
      VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [site.id, user.id, sessionOf(user), clientId, sid, grantId, offline],
  )
  await pool.query(
    'INSERT INTO authorized_client (site_id, user_id, client_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    [site.id, user.id, clientId],
  )
  return { clientId, sid, grantId }
}

/** How many rows are left of a grant: 3 of a live one. */
export async function rowsOfGrant(t: Pick<TestApp, 'deps'>, { grantId }: Login): Promise<number> {
  const { rows } = await t.deps.pool.query('SELECT count(*)::int AS n FROM oidc_item WHERE grant_id = $1', [grantId])
  return rows[0].n
}

/** The sids that clients are to be notified of, taken from the queue. */
export async function takeLogouts(t: Pick<TestApp, 'deps'>, userId: string): Promise<string[]> {
  const { rows } = await t.deps.pool.query(
    "DELETE FROM pgboss.job WHERE name = 'oidc-logout' AND data->>'userId' = $1 RETURNING data->>'sid' AS sid",
    [userId],
  )
  return rows.map(({ sid }) => sid).sort()
}
