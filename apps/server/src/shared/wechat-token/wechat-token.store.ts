import type { RedisClient } from '../../platform/redis/client.ts'

/** The Redis keys of an app's shared token: both in one slot. */
export interface TokenKeys {
  token: string
  lock: string
}

export const tokenKeys = (siteId: string, appId: string): TokenKeys => ({
  token: `{wechat:${siteId}:${appId}}:token`,
  lock: `{wechat:${siteId}:${appId}}:lock`,
})

const read = `local left = redis.call('PTTL', KEYS[1])
return { left, redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2]) }`

const whileLocked = `if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
if ARGV[4] == '0' then redis.call('DEL', KEYS[2]) else redis.call('PEXPIRE', KEYS[2], ARGV[4]) end
return 1`

const replaceLock = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`

const deleteSame = `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`

export interface Shared {
  /** Sealed; undefined where there is none any more. */
  sealed: string | undefined
  /** By the store's clock. */
  lifeMs: number
  /** The process that is asking WeChat, or the outcome of the last attempt. */
  lock: string | undefined
}

export async function readShared(redis: RedisClient, keys: TokenKeys): Promise<Shared> {
  const [lifeMs, sealed, lock] = (await redis.eval(read, 2, keys.token, keys.lock)) as [number, string?, string?]
  return { sealed: sealed ?? undefined, lifeMs, lock: lock ?? undefined }
}

/** Takes the lock: true for one caller among all processes. */
export const takeLock = async (redis: RedisClient, { lock }: TokenKeys, owner: string, ms: number): Promise<boolean> =>
  (await redis.set(lock, owner, 'PX', ms, 'NX')) === 'OK'

/**
 * Stores the token and, for `restMs`, keeps the lock. Writes nothing if the lock has expired: the token may be older
 * than the stored one by then.
 */
export const storeToken = async (
  redis: RedisClient,
  { token, lock }: TokenKeys,
  owner: string,
  { sealed, lifeMs, restMs }: { sealed: string; lifeMs: number; restMs: number },
): Promise<boolean> => (await redis.eval(whileLocked, 2, token, lock, owner, sealed, lifeMs, restMs)) === 1

/** Replaces the lock by a note, so that no process asks again until it has expired. */
export async function leaveNote(redis: RedisClient, { lock }: TokenKeys, owner: string, note: string, ms: number) {
  await redis.eval(replaceLock, 1, lock, owner, note, ms)
}

export async function releaseLock(redis: RedisClient, { lock }: TokenKeys, owner: string): Promise<void> {
  await redis.eval(deleteSame, 1, lock, owner)
}

/** Drops exactly this token; a newer one stays. */
export async function dropShared(redis: RedisClient, { token }: TokenKeys, sealed: string): Promise<void> {
  await redis.eval(deleteSame, 1, token, sealed)
}
