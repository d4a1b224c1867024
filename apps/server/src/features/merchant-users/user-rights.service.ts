import { type MerchantRight, merchantRights } from '@hufu/contract/merchant-rights'
import { AppError } from '../../platform/app-error.ts'
import type { SessionId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordOperator } from '../../shared/audit/operator-log.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { changeUser } from '../../shared/sessions/change-user.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { requireStepUp } from '../../shared/step-up/step-up.ts'
import { notifyGrant } from '../users/admin-notices.ts'
import { listAdmins, lockRights, replaceRights } from '../users/rights.store.ts'
import { applyStatus } from '../users/users.service.ts'
import { holdTargetUser, refuseOwn } from './user-change.service.ts'

type Needs = Pick<Deps, 'db' | 'cache' | 'clock'>

/**
 * Everything that may remove the right ADMIN is serialised within a site: of two who take it from each other, one keeps
 * it. An operator who lost it while waiting changes nothing.
 */
async function keepingAdmins(
  deps: Needs,
  site: Site,
  { userId }: Caller,
  id: UserId,
  apply: (tx: Db, ended: (sessions: SessionId[]) => void) => Promise<void>,
): Promise<void> {
  await changeUser(deps, site.id, id, async (tx, ended) => {
    await lockRights(tx, site.id)
    const before = await listAdmins(tx, site.id)
    await apply(tx, ended)
    if ((await listAdmins(tx, site.id, { staying: true })).length === 0) throw new AppError('LAST_ADMIN')
    if (!before.includes(userId)) throw new AppError('FORBIDDEN')
  })
}

export async function changeUserStatus(
  deps: Needs,
  site: Site,
  caller: Caller,
  { id, status }: { id: UserId; status: 'active' | 'disabled' },
): Promise<null> {
  refuseOwn(caller, id)
  await keepingAdmins(deps, site, caller, id, async (tx, ended) => {
    const { permission } = await holdTargetUser(tx, site, id)
    if (permission.MERCHANT) await requireStepUp(tx, caller, 'secondKind')
    ended(await applyStatus(tx, site.id, id, status, caller.userId))
  })
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
  await keepingAdmins(deps, site, caller, id, async (tx) => {
    const by = await requireStepUp(tx, caller, 'secondKind')
    await holdTargetUser(tx, site, id)
    const before = await replaceRights(tx, by, site.id, id, after)
    const detail = { before: before.toSorted(), after: after.toSorted() }
    await recordOperator(tx, site.id, { operator: caller.userId, action: 'user.rights', target: id, detail })
    await recordSecurity(tx, site.id, { event: 'account.rights', userId: id, address: null })
    const gained = after.filter((right) => !before.includes(right))
    if (gained.length > 0) await notifyGrant(tx, site, { by: caller.userId, to: id, actions: gained }, deps.clock.now())
  })
  return null
}
