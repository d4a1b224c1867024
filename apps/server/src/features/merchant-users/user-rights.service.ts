import { type MerchantRight, merchantRights } from '@hufu/contract/merchant-rights'
import { AppError } from '../../platform/app-error.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordOperator } from '../../shared/audit/operator-log.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { requireStepUp } from '../../shared/step-up/step-up.ts'
import { notifyGrant } from '../users/admin-notices.ts'
import { listAdmins, lockRights, replaceRights } from '../users/rights.store.ts'
import { applyStatus } from '../users/users.service.ts'
import { holdTargetUser, invalidateUserAndSessions, refuseOwn } from './user-change.service.ts'

type Needs = Pick<Deps, 'db' | 'cache' | 'clock'>

/**
 * Everything that may remove the right ADMIN is serialised within a site: of two who take it from each other, one keeps
 * it. An operator who lost it while waiting changes nothing.
 */
async function keepingAdmins<Result>(
  deps: Needs,
  site: Site,
  { userId }: Caller,
  apply: (tx: Db) => Promise<Result>,
): Promise<Result> {
  return await deps.db.transaction().execute(async (tx) => {
    await lockRights(tx, site.id)
    const before = await listAdmins(tx, site.id)
    const result = await apply(tx)
    if ((await listAdmins(tx, site.id, { staying: true })).length === 0) throw new AppError('LAST_ADMIN')
    if (!before.includes(userId)) throw new AppError('FORBIDDEN')
    return result
  })
}

export async function changeUserStatus(
  deps: Needs,
  site: Site,
  caller: Caller,
  { id, status }: { id: UserId; status: 'active' | 'disabled' },
): Promise<null> {
  refuseOwn(caller, id)
  const ended = await keepingAdmins(deps, site, caller, async (tx) => {
    const { permission } = await holdTargetUser(tx, site, id)
    if (permission.MERCHANT) await requireStepUp(tx, caller, 'secondKind')
    return await applyStatus(tx, site.id, id, status, caller.userId)
  })
  await invalidateUserAndSessions(deps, site, id, ended)
  return null
}

/** READ comes with the others: without it none of them reaches anything. */
function wholeRights(actions: readonly MerchantRight[]): MerchantRight[] {
  return actions.length === 0 ? [] : merchantRights.filter((right) => right === 'READ' || actions.includes(right))
}

export async function setRights(
  deps: Needs,
  site: Site,
  caller: Caller,
  { id, actions }: { id: UserId; actions: MerchantRight[] },
): Promise<null> {
  const after = wholeRights(actions)
  await keepingAdmins(deps, site, caller, async (tx) => {
    const by = await requireStepUp(tx, caller, 'secondKind')
    await holdTargetUser(tx, site, id)
    const before = await replaceRights(tx, by, site.id, id, after)
    const detail = { before: before.toSorted(), after: after.toSorted() }
    await recordOperator(tx, site.id, { operator: caller.userId, action: 'user.rights', target: id, detail })
    await recordSecurity(tx, site.id, { event: 'account.rights', userId: id, address: null })
    const gained = after.filter((right) => !before.includes(right))
    if (gained.length > 0) await notifyGrant(tx, site, { by: caller.userId, to: id, actions: gained }, deps.clock.now())
  })
  await invalidateUserAndSessions(deps, site, id, [])
  return null
}
