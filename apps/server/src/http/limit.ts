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
