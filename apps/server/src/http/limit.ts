import type { Limit } from '@hufu/contract/endpoint'
import type { RedisClient } from '../platform/redis/client.ts'

const script = `local calls = redis.call('INCR', KEYS[1])
if calls == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
if calls <= tonumber(ARGV[2]) then return 0 end
return math.max(redis.call('TTL', KEYS[1]), 1)`

/** Counts one call of a caller; answers the seconds to wait, 0 when within the limit. */
export async function countCall(redis: RedisClient, who: string, limit: Limit): Promise<number> {
  return (await redis.eval(script, 1, `{limit:${who}}`, limit.seconds, limit.calls)) as number
}

const windowScript = `local calls = redis.call('INCR', KEYS[1])
if calls == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return { calls, math.max(redis.call('TTL', KEYS[1]), 1) }`

export interface Window {
  /** Calls in this window, this one included. */
  calls: number
  /** Seconds until the next one. */
  reset: number
}

/** Counts one call of a caller who is shown the state of the limit. */
export async function windowOf(redis: RedisClient, who: string, { seconds }: Limit): Promise<Window> {
  const [calls, reset] = (await redis.eval(windowScript, 1, `{limit:${who}}`, seconds)) as [number, number]
  return { calls, reset }
}

/** Windows of one process; more callers than this are forgotten together. */
const mostWindows = 50_000

export interface LocalLimit {
  /** Answers the seconds to wait, 0 when within the limit. */
  (who: string, limit: Limit): number
  window(who: string, limit: Limit): Window
}

/** The same within one process, for calls that are answered while Redis is away. */
export function createLocalLimit(now: () => number = () => performance.now()): LocalLimit {
  const windows = new Map<string, { ends: number; calls: number }>()

  function window(who: string, { seconds }: Limit): Window {
    const known = windows.get(who)
    const open = known && known.ends > now() ? known : { ends: now() + seconds * 1000, calls: 0 }
    if (windows.size >= mostWindows) windows.clear()
    windows.set(who, open)
    open.calls++
    return { calls: open.calls, reset: Math.max(Math.ceil((open.ends - now()) / 1000), 1) }
  }

  const count = (who: string, limit: Limit) => {
    const { calls, reset } = window(who, limit)
    return calls <= limit.calls ? 0 : reset
  }
  return Object.assign(count, { window })
}
