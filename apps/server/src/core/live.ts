import { randomUUID } from 'node:crypto'
import type { Config } from './config.ts'
import type { SiteId, UserId } from './ids.ts'
import type { Log } from './log.ts'
import { histogram } from './metrics.ts'
import { connectRedis, type RedisClient, sharedDeadline } from './redis.ts'

/** Something is new, or a session isn't what it was: whoever it concerns looks for itself. */
export interface Wake {
  site: SiteId
  /** Whom it concerns; where it is about a conversation, operators hear of it as well. */
  user: UserId
  /** What the page fetches anew, and up to which entry. */
  conversation?: string
  seq?: number
  /** It concerns operators alone, whoever did it. */
  desk?: true
}

export interface Live {
  hear(listener: (wake: Wake) => void): () => void
  close(): void
}

const lag = histogram(
  'hufu_live_lag_seconds',
  'From telling that something is new to hearing of it, in the process that told it.',
).of()

const teller = randomUUID()

const channels = Array.from({ length: 64 }, (_, number) => `live:${number}`)

/** By the site: a process that serves few of them can listen to few channels one day. */
function channelOf(site: SiteId): string {
  return channels[Number.parseInt(site.slice(0, 8), 16) % channels.length] as string
}

/** Whoever tells has done what it tells of and waits for nobody. */
const patience = sharedDeadline(200)

/** Best effort: what isn't heard is found when somebody next looks. */
export async function tell(cache: RedisClient, wake: Wake): Promise<void> {
  await Promise.race([
    cache.publish(channelOf(wake.site), JSON.stringify({ ...wake, teller, at: performance.now() })),
    patience(),
  ]).catch(() => {})
}

/** One subscription for the whole process; it comes back by itself after Redis was away. */
export function startLive(
  { redisCacheUrl, loadShedding }: Pick<Config, 'redisCacheUrl' | 'loadShedding'>,
  log: Log,
): Live {
  const listeners = new Set<(wake: Wake) => void>()
  const client = connectRedis(redisCacheUrl, { loadShedding }, () => {})
  const follow = () =>
    client.subscribe(...channels).catch((error: Error) => log.warn({ err: error }, 'nothing is heard live for now'))
  client.on('ready', follow)
  client.on('message', (_channel: string, text: string) => {
    const { teller: by, at, ...wake } = JSON.parse(text) as Wake & { teller?: string; at: number }
    // Of another process's clock this one knows nothing.
    if (by === teller) lag.observe((performance.now() - at) / 1_000)
    for (const listener of listeners) listener(wake)
  })
  return {
    hear(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: () => client.disconnect(),
  }
}
