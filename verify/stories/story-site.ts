import type { SiteConfig } from '@hufu/contract/site'
import { totpContext } from '../../apps/server/src/features/factors/factor-codes.ts'
import { changeSite, readConfig, saveConfig } from '../../apps/server/src/features/site/site.service.ts'
import { createUser, grant, type UserToCreate } from '../../apps/server/src/features/users/users.service.ts'
import { setPassword } from '../../apps/server/src/features/users/users.store.ts'
import { sha256 } from '../../apps/server/src/platform/crypto/hash.ts'
import { hashPassword } from '../../apps/server/src/platform/crypto/password-hash.ts'
import { seal } from '../../apps/server/src/platform/crypto/secrets.ts'
import type { SessionId, SiteId, UserId } from '../../apps/server/src/platform/ids.ts'
import type { Deps } from '../../apps/server/src/shared/deps.ts'
import { admit, beginSession } from '../../apps/server/src/shared/sessions/begin-session.ts'
import type { SessionToken } from '../../apps/server/src/shared/sessions/session-cookie.ts'
import { invalidateSessions } from '../../apps/server/src/shared/sessions/sessions.ts'
import { loginOptionsOf } from '../../apps/server/src/shared/sites/login-options.ts'
import { withoutStepUp } from '../../apps/server/src/shared/step-up/authority.ts'
import { enrol, provedFactor } from '../../apps/server/test/enrolled.ts'
import { storySecret } from './authenticator-app.ts'

export type SignInMethod = 'mobile' | 'password'

interface StoryBrowser {
  method: SignInMethod
  /** A step-up was just completed in it. */
  checked?: boolean
  /** A second factor was just proved in it. */
  factor?: boolean
  userAgent: string
  /** What the cookie of the browser holds. */
  mark: string
}

export interface StorySite {
  url: string
  disable(): Promise<void>
  save(config: SiteConfig): Promise<void>
  createUser(user: UserToCreate): Promise<string>
  /** A session as a sign-in begins it, for a browser that is given its cookies or only counts. */
  beginSession(userId: string, browser: StoryBrowser): Promise<SessionToken>
  /** An authenticator with the secret of stories. */
  protect(userId: string): Promise<void>
  /** Rights in the back-office, and the authenticator that they demand unless the story is about that. */
  grant(userId: string, actions: string[], options?: { factor: boolean }): Promise<void>
  /** So many hours pass since the user gave a factor. */
  ageFactor(userId: string, hours: number): Promise<void>
  /** For what time does: a query of the story's own on the database. */
  query(text: string, values: unknown[]): Promise<void>
  /** What time does to a request to sign in by scan. */
  expireScan(id: string): Promise<void>
}

const hashes = new Map<string, Promise<string>>()

/** Hashing is slow by design, and stories use few passwords. */
function hashOnce(password: string): Promise<string> {
  const known = hashes.get(password) ?? hashPassword({ loadShedding: false }, password)
  hashes.set(password, known)
  return known
}

interface Stored {
  id: SiteId
  origin: string
  config: SiteConfig
}

export function storySite(deps: Deps, { id, origin, ...stored }: Stored, closed: () => Promise<void>): StorySite {
  let { config } = stored
  async function protect(userId: string) {
    const secret = Buffer.from(storySecret.bytes).toString('base64')
    const sealed = seal(deps.config.keys, totpContext(id, userId as UserId), secret)
    await enrol(deps, id, userId as UserId)
    await deps.pool.query('UPDATE totp SET sealed = $3 WHERE site_id = $1 AND user_id = $2', [id, userId, sealed])
  }
  return {
    url: origin,
    async disable() {
      await changeSite(deps, id, { status: 'disabled' }, 'story')
      await closed()
    },
    async save(changed) {
      const { version } = await readConfig(deps, id)
      await saveConfig(deps, id, { config: changed, basedOn: version }, 'story')
      config = changed
    },
    async createUser({ password, ...user }) {
      const userId = await createUser(deps, id, user, 'story')
      if (password !== undefined)
        await setPassword(deps.db, withoutStepUp('commandLine'), id, userId, await hashOnce(password))
      return userId
    },
    async beginSession(userId, { method, userAgent, mark, checked = false, factor = false }) {
      const login = loginOptionsOf(config)
      const site = { id, origin, config, login, status: 'active' as const, version: '1', hosts: [] }
      const visitor = { address: '127.0.0.1', bucket: '127.0.0.1', userAgent, browserHash: sha256(mark) }
      const extras = { checked, ...(factor ? { factor: 'now' as const } : await provedFactor(deps, userId)) }
      const entered = await deps.db
        .transaction()
        .execute((tx) => beginSession(tx, site, userId as UserId, visitor, method, extras))
      return admit({ entered, created: false }).token
    },
    protect,
    async grant(userId, actions, { factor } = { factor: true }) {
      await grant(deps, id, userId as UserId, 'MERCHANT', actions, 'story')
      if (factor) await protect(userId)
    },
    async ageFactor(userId, hours) {
      const { rows } = await deps.pool.query<{ id: SessionId }>(
        `UPDATE session SET factor_at = factor_at - make_interval(hours => $3),
           two_factor_at = two_factor_at - make_interval(hours => $3)
         WHERE site_id = $1 AND user_id = $2 RETURNING id`,
        [id, userId, hours],
      )
      const sessions = rows.map((row) => row.id)
      await invalidateSessions(deps, id, userId as UserId, sessions)
    },
    query: async (text, values) => void (await deps.pool.query(text, [id, ...values])),
    expireScan: async (request) => void (await deps.redis.del(`{scan:${id}:${request}}`)),
  }
}
