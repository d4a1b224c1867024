import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { SiteId, UserId } from '../ids.ts'
import type { Log } from '../log.ts'
import { histogram } from '../metrics/metrics.ts'
import { connectRedis, type RedisClient, sharedDeadline } from './client.ts'

/** Whether it was the account or one of its sessions that was changed. */
export type ChangedPart = 'user' | 'session'

/** Something is new, or a session has changed: receivers fetch it themselves. */
export interface Wake {
  site: SiteId
  /** The user it concerns; an event about a conversation reaches operators as well. */
  user: UserId
  /** What was changed; version 0.1.0 does not say it, and means both. */
  part?: ChangedPart
  /** What the page fetches again, and up to which entry. */
  conversation?: string
  seq?: number
  /** It concerns operators alone. */
  desk?: true
}

export type ChangedAt = Partial<Record<ChangedPart, number>>

export interface Live {
  subscribe(listener: (wake: Wake) => void): () => void
  /**
   * When a change of this user was last received, by the clock of the database; undefined where that was not lately.
   */
  changedAt(site: SiteId, user: UserId): ChangedAt | undefined
  close(): void
}

const lag = histogram(
  'hufu_live_lag_seconds',
  'From publishing a wake-up to receiving it, in the process that published it.',
).of()

const publisher = randomUUID()

const channels = Array.from({ length: 64 }, (_, number) => `live:${number}`)

/** By the site: a process that serves few sites could subscribe to few channels one day. */
function channelOf(site: SiteId): string {
  return channels[Number.parseInt(site.slice(0, 8), 16) % channels.length] as string
}

/** The publisher's change is committed: it waits for no subscriber. */
const publishDeadline = sharedDeadline(200)

/** Best effort: what isn't received is found with the next fetch. */
export async function publish(cache: RedisClient, wake: Wake): Promise<void> {
  await Promise.race([
    cache.publish(channelOf(wake.site), JSON.stringify({ ...wake, teller: publisher, at: performance.now() })),
    publishDeadline(),
  ]).catch(() => {})
}

const id = z.guid()
/** Redis is not trusted: messages of another shape are ignored. */
const message = z.object({
  site: id,
  user: id,
  part: z.enum(['user', 'session']).optional().catch(undefined),
  conversation: id.optional(),
  seq: z.number().int().optional(),
  desk: z.literal(true).optional(),
  teller: z.string().optional(),
  at: z.number(),
})

function parseMessage(text: string): (Wake & { teller?: string; at: number }) | undefined {
  try {
    return message.parse(JSON.parse(text)) as Wake & { teller?: string; at: number }
  } catch {
    return undefined
  }
}

/** Longer than any cache entry from before a change is valid. */
const rememberedMs = 40_000
/** A flood of messages must not fill the memory. */
const mostChanges = 100_000

/**
 * The latest changes of users, so that a cache entry from before one is invalid even where its tombstone is missing.
 */
function followChanges(clock: Clock) {
  const changes = new Map<string, { at: number; parts: ChangedAt }>()
  return {
    note({ site, user, part }: Wake): void {
      const at = clock.now()
      const name = `${site}:${user}`
      const former = changes.get(name)?.parts
      // Moved to the end: the oldest come first.
      changes.delete(name)
      changes.set(name, { at, parts: part ? { ...former, [part]: at } : { user: at, session: at } })
      for (const [oldest, change] of changes) {
        if (at - change.at < rememberedMs && changes.size <= mostChanges) break
        changes.delete(oldest)
      }
    },
    of: (site: SiteId, user: UserId): ChangedAt | undefined =>
      changes.size === 0 ? undefined : changes.get(`${site}:${user}`)?.parts,
  }
}

/** One subscription for the whole process; it reconnects by itself. */
export function startLive(
  { redisCacheUrl, loadShedding }: Pick<Config, 'redisCacheUrl' | 'loadShedding'>,
  clock: Clock,
  log: Log,
): Live {
  const listeners = new Set<(wake: Wake) => void>()
  const changes = followChanges(clock)
  const client = connectRedis(redisCacheUrl, { loadShedding }, () => {})
  const follow = () =>
    client
      .subscribe(...channels)
      .catch((error: Error) => log.warn({ err: error }, 'no live events for now: the subscription failed'))
  client.on('ready', follow)
  client.on('message', (_channel: string, text: string) => {
    const received = parseMessage(text)
    if (!received) return
    const { teller: by, at, ...wake } = received
    // The monotonic clock of another process can't be compared.
    if (by === publisher) lag.observe((performance.now() - at) / 1_000)
    if (wake.conversation === undefined) changes.note(wake)
    for (const listener of listeners) listener(wake)
  })
  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    changedAt: changes.of,
    close: () => client.disconnect(),
  }
}
