import { insertChange, listChanges, readSnapshot } from '../../apps/server/src/features/users/account-changes.store.ts'
import { newSecret } from '../../apps/server/src/platform/crypto/hash.ts'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import type { Harness } from '../harness/harness.ts'

export type Changed = Awaited<ReturnType<Harness['user']>> & { token: string; from: string }

/** An account that was changed a moment ago, and the link that its owner was mailed. */
export async function changedAccount(t: Harness, site: TestSite): Promise<Changed> {
  const user = await t.user(site)
  const { db } = t.deps
  const token = newSecret()
  const before = await readSnapshot(db, site.id, user.id)
  await insertChange(db, site.id, user.id, { kind: 'username', ...before, token })
  const [change] = await listChanges(db, site.id, user.id)
  return { ...user, token, from: change?.id ?? '' }
}
