import { isUuid, type SiteId, type UserId } from '../../platform/ids.ts'
import type { RedisClient } from '../../platform/redis/client.ts'

/** How long an operator counts as writing after the last signal. */
const lifeMs = 15_000
/** Throttles the events of an operator who starts and stops repeatedly; others catch up with their next call. */
const publishEveryMs = 2_000

const keyOf = (siteId: SiteId, id: string) => `{answering:${siteId}:${id}}`
const publishedKeyOf = (siteId: SiteId, id: string, userId: UserId) => `${keyOf(siteId, id)}:told:${userId}`

/** By the clock of Redis, atomically: whether an operator started or stopped writing, and who else writes. */
const script = `local at = redis.call('TIME')
local now = at[1] * 1000 + math.floor(at[2] / 1000)
local me, life = ARGV[1], tonumber(ARGV[2])
local wrote, others = false, {}
local held = redis.call('HGETALL', KEYS[1])
for i = 1, #held, 2 do
  if tonumber(held[i + 1]) <= now then redis.call('HDEL', KEYS[1], held[i])
  elseif held[i] == me then wrote = true
  else others[#others + 1] = held[i] end
end
if life > 0 then
  redis.call('HSET', KEYS[1], me, now + life)
  redis.call('PEXPIRE', KEYS[1], life)
elseif life == 0 and wrote then redis.call('HDEL', KEYS[1], me) end
local changed = life >= 0 and wrote ~= (life > 0)
return {changed and redis.call('SET', KEYS[2], 1, 'NX', 'PX', ARGV[3]) and 1 or 0, others}`

export interface Writers {
  /** Whether this call started or stopped the caller's writing, which is to be published. */
  toPublish: boolean
  others: UserId[]
}

/** Undefined leaves the caller's state unchanged. */
export async function markWriting(
  redis: RedisClient,
  siteId: SiteId,
  id: string,
  userId: UserId,
  writing: boolean | undefined,
): Promise<Writers> {
  const life = writing === undefined ? -1 : writing ? lifeMs : 0
  const keys = [keyOf(siteId, id), publishedKeyOf(siteId, id, userId)]
  const answer = await redis.eval(script, keys.length, ...keys, userId, life, publishEveryMs)
  const [toPublish, others] = answer as [number, UserId[]]
  return { toPublish: toPublish === 1, others: others.filter(isUuid) }
}
