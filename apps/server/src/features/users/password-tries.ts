import { AppError } from '../../core/app-error.ts'
import type { Deps } from '../../core/deps.ts'
import type { Site } from '../../core/sites.ts'
import { requireProof } from '../verify-code/proof.ts'

const windowSeconds = 900
const usualFailures = 10

const script = `local tries = redis.call('INCR', KEYS[1])
if tries == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return {tries, redis.call('TTL', KEYS[1])}`

export interface PasswordTry {
  /** The account, or what was typed where there is none: both are counted alike. */
  account: string
  /** Browsers that signed in before are counted apart, so that strangers can't lock anybody out. */
  known: boolean
  bucket: string
  proof: string | undefined
}

const keyOf = (site: Site, { account, known }: PasswordTry) => `{pw:${site.id}:${account}}:${known ? 'known' : 'new'}`

/** Counted before the password is looked at: over the limit a proof is asked, over twice the limit everybody waits. */
export async function countPasswordTry(
  deps: Pick<Deps, 'redis' | 'config' | 'clock'>,
  site: Site,
  attempt: PasswordTry,
): Promise<void> {
  const limit = site.config.limits?.passwordFailures ?? usualFailures
  const [tries, wait] = (await deps.redis.eval(script, 1, keyOf(site, attempt), windowSeconds)) as [number, number]
  if (tries > limit * 2) throw new AppError('LOGIN_PAUSED', { retryAfter: Math.max(wait, 1) })
  if (tries > limit) await requireProof(deps, `${site.id} ${attempt.account} ${attempt.bucket}`, attempt.proof)
}

/** A right password ends the count. */
export async function forgetPasswordTries(deps: Pick<Deps, 'redis'>, site: Site, attempt: PasswordTry): Promise<void> {
  await deps.redis.del(keyOf(site, attempt)).catch(() => {})
}
