import { AppError } from '../../platform/app-error.ts'
import type { SessionId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordOperator } from '../../shared/audit/operator-log.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { changeUser } from '../../shared/sessions/change-user.ts'
import { forgetAllBrowsers } from '../../shared/sessions/known-browsers.store.ts'
import { listSessions } from '../../shared/sessions/session-list.store.ts'
import { endAllSessions, readUser } from '../../shared/sessions/sessions.store.ts'
import type { Caller, UserState } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import type { StepUp } from '../../shared/step-up/authority.ts'
import { requireStepUp } from '../../shared/step-up/step-up.ts'
import { maskedMobile } from '../../shared/users/masked.ts'
import { queueNotice } from '../users/account-change-notices.ts'
import { endRecovery } from '../users/recovery.store.ts'
import { listMobiles, lockUser, readFacts } from '../users/user.store.ts'
import { showNames, takeName } from '../users/users.store.ts'
import { staysOpen } from './user.service.ts'

type Needs = Pick<Deps, 'db' | 'cache' | 'clock'>

/** The user, locked until the transaction ends; past every cache. */
export async function holdTargetUser(tx: Db, site: Site, id: UserId): Promise<UserState> {
  const user = (await lockUser(tx, site.id, id)) ? await readUser(tx, site.id, id) : undefined
  if (!user) throw new AppError('NOT_FOUND')
  return user
}

export function refuseOwn({ userId }: Caller, id: UserId): void {
  if (userId === id) throw new AppError('OWN_ACCOUNT')
}

export async function signOut(deps: Needs, site: Site, caller: Caller, id: UserId): Promise<{ ended: number }> {
  const ended = await changeUser(deps, site.id, id, async (tx, report) => {
    await holdTargetUser(tx, site, id)
    // Expired ones are ended too, and not counted.
    const { count } = await listSessions(tx, site.id, id, { top: 1, skip: 0 })
    report(await endAllSessions(tx, site.id, id, 'operator'))
    await forgetAllBrowsers(tx, site.id, id)
    await recordOperator(tx, site.id, {
      operator: caller.userId,
      action: 'user.signOut',
      target: id,
      detail: { count },
    })
    await recordSecurity(tx, site.id, { event: 'account.signOut', userId: id, address: null })
    return count
  })
  return { ended }
}

export interface Release {
  id: UserId
  reason: string
  /** As the operator saw it, masked or whole. */
  mobile?: string | undefined
}

/** Removes a lost number from an account, if another way to sign in is left; all sessions end. */
export async function releaseMobile(
  deps: Needs,
  site: Site,
  caller: Caller,
  { id, reason, mobile: seen }: Release,
): Promise<null> {
  refuseOwn(caller, id)
  await changeUser(deps, site.id, id, async (tx, ended) => {
    const by = await requireStepUp(tx, caller, 'secondKind')
    const user = await holdTargetUser(tx, site, id)
    if (user.mobile === null || (seen !== undefined && seen !== user.mobile && seen !== maskedMobile(user.mobile)))
      throw new AppError('MOBILE_CHANGED')
    const facts = await readFacts(tx, site.id, id)
    if (!facts || !staysOpen(site, user, facts)) throw new AppError('MOBILE_LAST')
    ended(await takeMobile(tx, by, site, user, { operator: caller.userId, reason, now: deps.clock.now() }))
  })
  return null
}

/** The name is removed first: a parallel sign-in by it is waited for, and its session ended with the others. */
async function takeMobile(
  tx: Db,
  by: StepUp<'secondKind'>,
  site: Site,
  user: UserState,
  { operator, reason, now }: { operator: UserId; reason: string; now: number },
): Promise<SessionId[]> {
  const { id } = user
  for (const value of await listMobiles(tx, site.id, id)) await takeName(tx, by, site.id, id, 'mobile', value)
  await showNames(tx, by, site.id, id, { mobilePrefix: null, mobile: null })
  const ended = await endAllSessions(tx, site.id, id, 'mobile')
  await endRecovery(tx, site.id, id)
  // PostgreSQL accepts no lone surrogates in JSON.
  const detail = { reason: reason.toWellFormed() }
  await recordOperator(tx, site.id, { operator, action: 'user.releaseMobile', target: id, detail })
  await recordSecurity(tx, site.id, { event: 'mobile.release', userId: id, address: null })
  await queueNotice(tx, site, user, 'mobileReleased', now)
  return ended
}

/** The user reports that a recovery of their number isn't theirs, and can't stop it themselves. */
export async function cancelRecoveryOf(
  deps: Needs,
  site: Site,
  caller: Caller,
  { id, reason }: { id: UserId; reason: string },
): Promise<null> {
  await changeUser(deps, site.id, id, async (tx) => {
    const user = await holdTargetUser(tx, site, id)
    const ended = await endRecovery(tx, site.id, id)
    if (!ended) throw new AppError('RECOVERY_NONE')
    const detail = { reason: reason.toWellFormed() }
    await recordOperator(tx, site.id, { operator: caller.userId, action: 'user.cancelRecovery', target: id, detail })
    await recordSecurity(tx, site.id, { event: 'recovery.cancelled', userId: id, address: null })
    await queueNotice(
      tx,
      site,
      user,
      ended === 'factor' ? 'factorRecoveryRefused' : 'recoveryRefused',
      deps.clock.now(),
    )
  })
  return null
}
