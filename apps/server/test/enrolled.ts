import { verifyTwoFactor } from '@hufu/contract/two-factor'
import { graceDate } from '../../../tools/run/grace-date.ts'
import { grant } from '../src/features/users/users.service.ts'
import type { SessionId, SiteId, UserId } from '../src/platform/ids.ts'
import type { Deps } from '../src/shared/deps.ts'
import { invalidateSessions } from '../src/shared/sessions/sessions.ts'
import { authenticatorOf, protect } from './factors.ts'
import type { TestBrowser } from './test-app.ts'

type Needs = Pick<Deps, 'db' | 'pool' | 'cache' | 'config'>

/** The environment of the roll-out: operators need no second factor yet. */
export const withGrace = () => ({ HUFU_OPERATOR_FACTOR_GRACE: graceDate() })

/** The secret of every authenticator that is made here. */
const authenticatorSecret = Buffer.from('12345678901234567890')

/** As if the account had an authenticator, and a code of it had just been given in each of its sessions. */
export async function enrol(deps: Needs, siteId: SiteId, id: string): Promise<void> {
  const userId = id as UserId
  await protect(deps, siteId, userId, authenticatorSecret)
  const { rows } = await deps.pool.query<{ id: SessionId }>(
    'UPDATE session SET factor_at = now() WHERE site_id = $1 AND user_id = $2 RETURNING id',
    [siteId, userId],
  )
  if (rows.length === 0) return
  await invalidateSessions(
    deps,
    siteId,
    userId,
    rows.map(({ id }) => id),
  )
}

/** Rights in the back-office and the second factor that they demand. */
export async function makeOperator(
  deps: Needs,
  siteId: SiteId,
  userId: string,
  actions: readonly string[],
  by = 'test',
): Promise<void> {
  await enrol(deps, siteId, userId)
  await grant(deps, siteId, userId as UserId, 'MERCHANT', [...actions], by)
}

/** How a session of this account begins: of a protected one with a factor that was proved, which is no step-up. */
export async function provedFactor({ pool }: Pick<Deps, 'pool'>, userId: string): Promise<{ factor?: Date }> {
  const { rows } = await pool.query('SELECT FROM users WHERE id = $1 AND protected', [userId])
  return rows.length > 0 ? { factor: new Date() } : {}
}

/** A step-up by that authenticator. A code of this moment counts again: for the test, time has passed. */
export async function stepUpByApp(
  { deps }: { deps: Pick<Deps, 'pool' | 'clock'> },
  browser: Pick<TestBrowser, 'call'> & { id: string },
): Promise<void> {
  const totp = await authenticatorOf(deps, browser.id, authenticatorSecret).code()
  const answer = await browser.call(verifyTwoFactor, { totp })
  if (answer.status !== 200) throw new Error(`the step-up failed: ${answer.code}`)
}
