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

/** Windows of one process; more callers than this are forgotten together. */
const mostWindows = 50_000

/** The same within one process, for calls that are answered while Redis is away. */
export function createLocalLimit(now: () => number = () => performance.now()): (who: string, limit: Limit) => number {
  const windows = new Map<string, { ends: number; calls: number }>()
  return (who, { calls, seconds }) => {
    const known = windows.get(who)
    const window = known && known.ends > now() ? known : { ends: now() + seconds * 1000, calls: 0 }
    if (windows.size >= mostWindows) windows.clear()
    windows.set(who, window)
    window.calls++
    return window.calls <= calls ? 0 : Math.max(Math.ceil((window.ends - now()) / 1000), 1)
  }
}
