import type { Colleague } from '@hufu/contract/feedback-desk'
import { AppError } from '../../platform/app-error.ts'
import type { UserId } from '../../platform/ids.ts'
import { sharedDeadline } from '../../platform/redis/client.ts'
import { publish } from '../../platform/redis/live-events.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { readNames } from '../../shared/users/names.store.ts'
import { markWriting, type Writers } from './answering.store.ts'
import { lastSeqOf } from './feedback.store.ts'

type Needs = Pick<Deps, 'db' | 'redis' | 'cache'>

/** A short timeout: this is only a courtesy. */
const writingDeadline = sharedDeadline(300)

/** During an outage of Redis no operator is shown as writing. */
async function marked(
  { redis }: Pick<Needs, 'redis'>,
  site: Site,
  userId: UserId,
  id: string,
  writing: boolean | undefined,
): Promise<Writers> {
  const none = { toPublish: false, others: [] }
  return await Promise.race([markWriting(redis, site.id, id, userId, writing), writingDeadline()]).catch(() => none)
}

/** Which other operators are writing a reply. Read-only operators write none. */
export async function answering(
  deps: Needs,
  site: Site,
  { userId, user }: Caller,
  { id, writing }: { id: string; writing?: boolean | undefined },
): Promise<Colleague[]> {
  const seq = await lastSeqOf(deps.db, site.id, id)
  if (seq === undefined) throw new AppError('NOT_FOUND')
  const mayWrite = user.permission.MERCHANT?.includes('WRITE') ?? false
  const { toPublish, others } = await marked(deps, site, userId, id, writing && mayWrite)
  if (toPublish) await publish(deps.cache, { site: site.id, user: userId, conversation: id, seq, desk: true })
  if (others.length === 0) return []
  const names = await readNames(deps.db, site.id, others)
  return others.map((other) => ({ id: other, name: names.get(other) ?? null }))
}

/** A reply that is sent is no longer being written; its own wake-up informs the others. */
export async function endWriting(deps: Pick<Needs, 'redis'>, site: Site, userId: UserId, id: string): Promise<void> {
  await marked(deps, site, userId, id, false)
}
