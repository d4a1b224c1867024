import { AppError } from '../../platform/app-error.ts'
import type { UserId } from '../../platform/ids.ts'
import { countFailures } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { requireProofOfWork } from '../../shared/proof-of-work/proof-of-work.ts'
import { passwordFailures } from '../../shared/send-limits/code-limits.ts'
import type { Site } from '../../shared/sites/sites.ts'

const windowSeconds = 900

/** The event under which a wrong password is recorded. */
const passwordEvents = ['login.failed', 'check.failed']

/** The limit for all tries to recover one account: so many times the usual limit, in so many seconds. */
const recoveryLimits = 10
const recoverySeconds = 3600

const script = `local tries = redis.call('INCR', KEYS[1])
if tries == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return {tries, redis.call('TTL', KEYS[1])}`

/**
 * Counters in Redis can be deleted by an attacker who writes there. The failures recorded in PostgreSQL are the bound then; it is
 * never reached while Redis counts, tries at recovery included.
 */
const recordedLimits = 20

type Needs = Pick<Deps, 'db' | 'redis' | 'config' | 'clock'>

export interface PasswordTry {
  /** The account, or the typed text where there is none: both are counted alike. */
  account: string
  /** Whose recorded failures count; a random id where there is no account, so that both take the same time. */
  userId: UserId
  /** Browsers that signed in before are counted apart, so that strangers can't lock a user out. */
  known: boolean
  bucket: string
  powSolution: string | undefined
}

const keyOf = (site: Site, { account, known }: PasswordTry) => `{pw:${site.id}:${account}}:${known ? 'known' : 'new'}`

/** How many there were with this one; above the maximum all tries wait. */
async function count(
  { redis }: Pick<Needs, 'redis'>,
  key: string,
  seconds: number,
  most = Number.POSITIVE_INFINITY,
): Promise<number> {
  const [tries, wait] = (await redis.eval(script, 1, key, seconds)) as [number, number]
  if (tries > most) throw new AppError('LOGIN_PAUSED', { retryAfter: Math.max(wait, 1) })
  return tries
}

const askProofOfWork = (deps: Needs, site: Site, { account, bucket, powSolution }: PasswordTry) =>
  requireProofOfWork(deps, `${site.id} ${account} ${bucket}`, powSolution)

async function boundRecorded({ db }: Needs, site: Site, { userId }: PasswordTry): Promise<void> {
  const failures = await countFailures(db, site.id, userId, passwordEvents, windowSeconds)
  if (failures >= passwordFailures(site.config) * recordedLimits)
    throw new AppError('LOGIN_PAUSED', { retryAfter: windowSeconds })
}

/**
 * Counted before the password is checked: above the limit proof of work is demanded, above twice the limit all tries
 * wait.
 */
export async function countPasswordTry(deps: Needs, site: Site, attempt: PasswordTry): Promise<void> {
  const limit = passwordFailures(site.config)
  const tries = await count(deps, keyOf(site, attempt), windowSeconds, limit * 2)
  if (tries > limit) await askProofOfWork(deps, site, attempt)
  await boundRecorded(deps, site, attempt)
}

/**
 * The same for a user without their number, who has no code to sign in with during a pause: strangers' tries cost proof
 * of work each, and don't lock the account. What gets past that is limited for its address, and then for all of them.
 */
export async function countRecoveryTry(deps: Needs, site: Site, attempt: PasswordTry): Promise<void> {
  const key = keyOf(site, attempt)
  const limit = passwordFailures(site.config)
  if ((await count(deps, key, windowSeconds)) > limit) await askProofOfWork(deps, site, attempt)
  await count(deps, `${key}:${attempt.bucket}`, windowSeconds, limit)
  await count(deps, `${key}:recovery`, recoverySeconds, limit * recoveryLimits)
  await boundRecorded(deps, site, attempt)
}

/** A right password resets the count. */
export async function forgetPasswordTries(deps: Pick<Deps, 'redis'>, site: Site, attempt: PasswordTry): Promise<void> {
  await deps.redis.del(keyOf(site, attempt)).catch(() => {})
}
