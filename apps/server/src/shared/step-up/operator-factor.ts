import type { MerchantRight } from '@hufu/contract/merchant-rights'
import { pages } from '@hufu/contract/pages'
import { AppError } from '../../platform/app-error.ts'
import type { Deps } from '../deps.ts'
import type { Caller } from '../sessions/sessions.ts'

type Needs = Pick<Deps, 'clock' | 'config'>
type Operator = Pick<Caller, 'session' | 'user'>

/** How long a proved factor opens the back-office. */
const openMs = 12 * 60 * 60_000

/** Until when an operator without a second factor is admitted, in epoch milliseconds; 0 where no grace is set. */
export const enrolBy = ({ config }: Pick<Deps, 'config'>): number => config.operatorFactorGrace ?? 0

/** Why the back-office is closed to an operator, as far as the cache knows; undefined where it is open. */
export function operatorRefusal(deps: Needs, { session, user }: Operator): AppError | undefined {
  const now = deps.clock.now()
  if (!user.protected)
    return now < enrolBy(deps) ? undefined : new AppError('FACTOR_ENROL_REQUIRED', { path: pages.protection })
  const open = session.factorAt !== null && now - session.factorAt < openMs
  return open ? undefined : new AppError('TWO_FACTOR_REQUIRED', { factor: true })
}

/** Whether a caller acts as an operator with this right, for calls that users and operators share. */
export const actsAs = (deps: Needs, caller: Operator, right: MerchantRight): boolean =>
  (caller.user.permission.MERCHANT?.includes(right) ?? false) && operatorRefusal(deps, caller) === undefined
