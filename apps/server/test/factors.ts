import { randomBytes } from 'node:crypto'
import { totpContext } from '../src/features/factors/factor-codes.ts'
import { seal } from '../src/platform/crypto/secrets.ts'
import { stepAt, totpAt } from '../src/platform/crypto/totp.ts'
import type { SiteId, UserId } from '../src/platform/ids.ts'
import type { Deps } from '../src/shared/deps.ts'
import { invalidateUser } from '../src/shared/sessions/sessions.ts'

/** The authenticator app of a user. */
export interface Authenticator {
  secret: Buffer
  /** The code of this moment, whether or not it was used before. */
  code(): Promise<string>
  /** One that isn't valid now. */
  wrong(): string
}

/** Processes of their own have a clock of their own; they are on this machine. */
type Ground = Pick<Deps, 'pool'> & Partial<Pick<Deps, 'clock'>>

export function authenticatorOf({ pool, clock }: Ground, userId: string, secret: Buffer): Authenticator {
  const time = () => clock?.now() ?? Date.now()
  return {
    secret,
    async code() {
      await pool.query('UPDATE totp SET last_step = 0 WHERE user_id = $1', [userId])
      return totpAt(secret, stepAt(time()))
    },
    wrong() {
      const now = stepAt(time())
      const valid = [-1, 0, 1, 2].map((step) => totpAt(secret, now + step))
      return ['000000', '111111', '222222', '333333', '444444'].find((code) => !valid.includes(code)) ?? ''
    },
  }
}

/** Protects an account, as if its owner had added an authenticator. */
export async function protect(
  deps: Ground & Pick<Deps, 'config' | 'cache'>,
  siteId: SiteId,
  userId: UserId,
  secret: Buffer = randomBytes(20),
): Promise<Authenticator> {
  const sealed = seal(deps.config.keys, totpContext(siteId, userId), secret.toString('base64'))
  await deps.pool.query(
    'INSERT INTO totp (site_id, user_id, sealed, confirmed_at) VALUES ($1, $2, $3, now()) ON CONFLICT DO NOTHING',
    [siteId, userId, sealed],
  )
  await deps.pool.query('UPDATE users SET protected = true WHERE site_id = $1 AND id = $2', [siteId, userId])
  await invalidateUser(deps, siteId, userId)
  return authenticatorOf(deps, userId, secret)
}
