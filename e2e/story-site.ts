import type { SiteConfig } from '@hufu/contract/site'
import type { Deps } from '../apps/server/src/core/deps.ts'
import type { SiteId, UserId } from '../apps/server/src/core/ids.ts'
import { hashPassword } from '../apps/server/src/core/password-hash.ts'
import { changeSite, readConfig, saveConfig } from '../apps/server/src/features/site/site.service.ts'
import { createUser, grant, type UserToCreate } from '../apps/server/src/features/users/users.service.ts'
import { setPassword } from '../apps/server/src/features/users/users.store.ts'

export interface StorySite {
  url: string
  disable(): Promise<void>
  save(config: SiteConfig): Promise<void>
  createUser(user: UserToCreate): Promise<string>
  /** Rights in the back-office. */
  grant(userId: string, actions: string[]): Promise<void>
  /** For what time does: a query of the story's own on the database. */
  query(text: string, values: unknown[]): Promise<void>
  /** What time does to a request to sign in by scan. */
  expireScan(id: string): Promise<void>
}

const hashes = new Map<string, Promise<string>>()

/** Hashing is slow by design, and stories use few passwords. */
function hashOnce(password: string): Promise<string> {
  const known = hashes.get(password) ?? hashPassword(password)
  hashes.set(password, known)
  return known
}

interface Stored {
  id: SiteId
  origin: string
  config: SiteConfig
}

export function storySite(deps: Deps, { id, origin }: Stored, closed: () => Promise<void>): StorySite {
  return {
    url: origin,
    async disable() {
      await changeSite(deps, id, { status: 'disabled' }, 'story')
      await closed()
    },
    async save(changed) {
      const { version } = await readConfig(deps, id)
      await saveConfig(deps, id, { config: changed, basedOn: version }, 'story')
    },
    async createUser({ password, ...user }) {
      const userId = await createUser(deps, id, user, 'story')
      if (password !== undefined) await setPassword(deps.db, id, userId, await hashOnce(password))
      return userId
    },
    grant: (userId, actions) => grant(deps, id, userId as UserId, 'MERCHANT', actions, 'story'),
    query: async (text, values) => void (await deps.pool.query(text, [id, ...values])),
    expireScan: async (request) => void (await deps.redis.del(`{scan:${id}:${request}}`)),
  }
}
