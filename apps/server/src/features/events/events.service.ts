import type { EventType } from '@hufu/contract/event-rules'
import { AppError } from '../../platform/app-error.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { readEvents, type StoredEvent } from './events.store.ts'

export interface WantedEvents {
  /** The `next` of the page before; undefined for the oldest that is kept. */
  after?: number | undefined
  limit: number
  types?: readonly EventType[] | undefined
}

export interface FoundEvents {
  events: StoredEvent[]
  /** Where to go on. */
  next: number
  /** Whether there may be more at once. */
  more: boolean
}

/**
 * The next events after a cursor. An empty page says that nothing happened, so a cursor whose events were dropped is an
 * error, and so is one that the site has never given: it is from before the restore of a backup.
 */
export async function listEvents(
  { db }: Pick<Deps, 'db'>,
  site: Pick<Site, 'id'>,
  { after, limit, types }: WantedEvents,
): Promise<FoundEvents> {
  const { last, dropped, events } = await readEvents(db, site.id, { after: after ?? 0, limit, types })
  if (after !== undefined && (after < dropped || after > last))
    throw new AppError('EVENTS_EXPIRED', { oldest: dropped, newest: last })
  const more = events.length === limit
  return { events, next: (more && events.at(-1)?.position) || Math.max(last, after ?? 0), more }
}
