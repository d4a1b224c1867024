import { AppError } from '../../platform/app-error.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import { changeUser } from '../../shared/sessions/change-user.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { requireStepUp } from '../../shared/step-up/step-up.ts'
import { type ResetFactors, resetFactors } from '../factors/reset-factors.ts'
import { listAdmins } from '../users/rights.store.ts'
import { holdTargetUser, refuseOwn } from './user-change.service.ts'

/** For another operator who lost their factors. The caller hands the code over, in person or by phone. */
export async function resetOperatorFactors(
  deps: Pick<Deps, 'db' | 'cache' | 'clock' | 'config'>,
  site: Site,
  caller: Caller,
  { id, reason }: { id: UserId; reason: string },
): Promise<ResetFactors> {
  refuseOwn(caller, id)
  return await changeUser(deps, site.id, id, async (tx, report) => {
    const by = await requireStepUp(tx, caller, 'secondKind')
    const user = await holdTargetUser(tx, site, id)
    // Past every cache: an ADMIN who lost the right while waiting resets nothing.
    if (!(await listAdmins(tx, site.id)).includes(caller.userId)) throw new AppError('FORBIDDEN')
    const { ended, ...ticket } = await resetFactors(tx, deps, site, user, by, { operator: caller.userId, reason })
    report(ended)
    return ticket
  })
}
