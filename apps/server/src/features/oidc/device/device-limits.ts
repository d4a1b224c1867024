import { sha256 } from '../../../platform/crypto/hash.ts'
import type { SessionId, SiteId } from '../../../platform/ids.ts'
import { isRedisUnavailable, type RedisClient } from '../../../platform/redis/client.ts'

interface Needs {
  redis: RedisClient
}

/** How long a user code can be approved and its device polls. */
export const deviceSeconds = 600

const window = 3_600

/**
 * Wrong user codes in an hour. A code is one of 20^8: at the bound of the site an hour of guessing meets one of a hundred
 * waiting devices once in 25,000 times.
 */
export const mostWrongCodes = { session: 10, address: 60, site: 10_000 } as const

/** Counted before the comparison, so that parallel guesses don't slip through: the seconds to wait, or 0. */
const count = `local wait = 0
for at, key in ipairs(KEYS) do
  local tries = redis.call('INCR', key)
  if tries == 1 then redis.call('EXPIRE', key, ARGV[1]) end
  if tries > tonumber(ARGV[at + 1]) then wait = math.max(wait, redis.call('TTL', key), 1) end
end
return wait`

/** A right code is no guess. */
const refund = `for _, key in ipairs(KEYS) do
  if redis.call('EXISTS', key) == 1 then redis.call('DECR', key) end
end`

export interface Guesser {
  siteId: SiteId
  sessionId: SessionId
  /** The household of the address. */
  bucket: string
}

/** One slot of a cluster holds them all. */
const keysOf = ({ siteId, sessionId, bucket }: Guesser) =>
  [`session:${sessionId}`, `address:${bucket}`, 'site'].map((of) => `{device-tries:${siteId}}:${of}`)

export async function countGuess({ redis }: Needs, guesser: Guesser): Promise<number> {
  const { session, address, site } = mostWrongCodes
  return (await redis.eval(count, 3, ...keysOf(guesser), window, session, address, site)) as number
}

export async function refundGuess({ redis }: Needs, guesser: Guesser): Promise<void> {
  await redis.eval(refund, 3, ...keysOf(guesser))
}

/** What a device is told to wait between polls, in seconds. */
export const pollSeconds = 5

/** Less than that, since an answer takes its time on the way. */
const leastPollMs = 4_000

/** Whether a device polls too fast. Without Redis the limit of the route alone holds. */
export async function pollsTooFast({ redis }: Needs, siteId: SiteId, deviceCode: string): Promise<boolean> {
  const key = `{device-poll:${siteId}:${sha256(deviceCode).toString('base64url')}}`
  try {
    return (await redis.set(key, '1', 'PX', leastPollMs, 'NX')) === null
  } catch (error) {
    if (isRedisUnavailable(error)) return false
    throw error
  }
}
