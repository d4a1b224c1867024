import { randomBytes } from 'node:crypto'
import { sha256 } from '../../apps/server/src/platform/crypto/hash.ts'
import type { SiteId, UserId } from '../../apps/server/src/platform/ids.ts'
import type { Deps } from '../../apps/server/src/shared/deps.ts'
import { admit, beginSession } from '../../apps/server/src/shared/sessions/begin-session.ts'
import { formatToken } from '../../apps/server/src/shared/sessions/session-cookie.ts'
import { loginOptionsOf } from '../../apps/server/src/shared/sites/login-options.ts'
import { provedFactor } from '../../apps/server/test/enrolled.ts'

export const host = 'id.example.com'

/** A session of an existing account without a sign-in; returns the headers of its browser. */
export async function sessionOf(
  { db, pool }: Pick<Deps, 'db' | 'pool'>,
  siteId: SiteId,
  id: UserId,
  { factor = false } = {},
): Promise<Record<string, string>> {
  const own = { config: {}, login: loginOptionsOf({}) }
  const site = { id: siteId, origin: `https://${host}`, status: 'active' as const, version: '1', hosts: [], ...own }
  const visitor = { address: '127.0.0.1', bucket: '', userAgent: '', browserHash: sha256(randomBytes(16)) }
  const extras = factor ? { factor: 'now' as const } : await provedFactor({ pool }, id)
  const entered = await db.transaction().execute((tx) => beginSession(tx, site, id, visitor, 'password', extras))
  const { token } = admit({ entered, created: false })
  return { host, 'sec-fetch-site': 'same-origin', cookie: `__Host-hufu=${formatToken(token)}` }
}
