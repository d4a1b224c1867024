import type { RecoveryPurpose } from '@hufu/contract/recovery'
import { AppError } from '../../platform/app-error.ts'
import type { SessionId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Visitor } from '../../shared/sessions/begin-session.ts'
import { changeUser } from '../../shared/sessions/change-user.ts'
import { endAllSessions } from '../../shared/sessions/sessions.store.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { withoutStepUp } from '../../shared/step-up/authority.ts'
import { type Mobile, ownMobile, parseMobile } from '../users/login-names.ts'
import { endRecovery } from '../users/recovery.store.ts'
import { replaceName } from '../users/replace-name.ts'
import { showNames } from '../users/users.store.ts'
import { type RightCode, sendCode, spendCode, tryCode } from '../verify-code/verify-code.service.ts'
import { readStanding } from './recovery.store.ts'
import { notifyFinish } from './recovery-notices.ts'
import { type Holder, hold, holderOf, type Owner } from './tickets.ts'

type Needs = Pick<
  Deps,
  | 'db'
  | 'redis'
  | 'cache'
  | 'config'
  | 'clock'
  | 'log'
  | 'breaker'
  | 'mailer'
  | 'usage'
  | 'deliveryFailures'
  | 'randomDelay'
>

/** The new number of the account. */
export interface Wanted {
  ticket: string
  mobilePrefix: string
  mobile: string
}

/** Only a number of a region that the site serves. */
function wantedMobile({ login }: Site, { mobilePrefix, mobile }: Wanted): Mobile {
  const parsed = login.prefixes.includes(mobilePrefix) ? parseMobile(mobilePrefix, mobile) : undefined
  if (!parsed) throw new AppError('MOBILE_INVALID', { field: 'mobile' })
  return parsed
}

/** A recovery for this purpose whose wait is over; one for another is none. */
export async function requireReady(db: Db, site: Site, userId: UserId, wanted: RecoveryPurpose): Promise<void> {
  const { stage, purpose } = await readStanding(db, site.id, userId)
  if (stage === 'none' || purpose !== wanted) throw new AppError('RECOVERY_NONE')
  if (stage === 'waiting') throw new AppError('RECOVERY_WAITING')
}

export async function sendRecoveryMobileCode(
  deps: Needs,
  site: Site,
  wanted: Wanted & { proof?: string | undefined },
  visitor: Visitor,
): Promise<{ retryAfter: number }> {
  const mobile = wantedMobile(site, wanted)
  const { ticketHash, owner } = await holderOf(deps, site, wanted.ticket, 'both', visitor)
  await requireReady(deps.db, site, owner.id, 'mobile')
  return await sendCode(deps, site, {
    receiver: { kind: 'mobile', mobile, value: mobile.value },
    purpose: 'recoveryMobile',
    address: visitor.address,
    bucket: visitor.bucket,
    browserHash: ticketHash,
    powSolution: wanted.proof,
    asker: 'proved',
    send: true,
    wait: true,
  })
}

/** Sets the new number. A number of another account uses up neither the code nor the ticket. */
export async function finishRecovery(
  deps: Needs,
  site: Site,
  wanted: Wanted & { code: string },
  visitor: Visitor,
): Promise<null> {
  const mobile = wantedMobile(site, wanted)
  const holder = await holderOf(deps, site, wanted.ticket, 'both', visitor)
  const userId = holder.owner.id
  await requireReady(deps.db, site, userId, 'mobile')
  const right = await tryCode(deps, site, {
    receiver: mobile.value,
    purpose: 'recoveryMobile',
    code: wanted.code,
    browserHash: holder.ticketHash,
    address: visitor.address,
    // Both proofs and the waiting time justify a session.
    guesser: 'session',
  })
  await changeUser(deps, site.id, userId, async (tx, ended) => {
    const before = await provedOwner(tx, site, holder, right)
    ended(await setMobile(tx, site, before, mobile))
    await recordSecurity(tx, site.id, { event: 'recovery.finish', userId, address: visitor.address })
    await notifyFinish(tx, site, before, 'mobile', deps.clock.now())
  })
  return null
}

/** All proofs, verified once more under the lock, and spent. */
async function provedOwner(tx: Db, site: Site, holder: Holder, right: RightCode): Promise<Owner> {
  const owner = await hold(tx, site, holder, 'both')
  await requireReady(tx, site, owner.id, 'mobile')
  await spendCode(tx, site.id, right)
  await endRecovery(tx, site.id, owner.id)
  return owner
}

/** The names go first: a parallel sign-in by the former number is waited for, and its session ended with the others. */
async function setMobile(tx: Db, site: Site, before: Owner, mobile: Mobile): Promise<SessionId[]> {
  const { id } = before
  const by = withoutStepUp('recovery')
  await replaceName(tx, by, site.id, id, 'mobile', ownMobile(before)?.value, mobile.value)
  await showNames(tx, by, site.id, id, { mobilePrefix: mobile.prefix, mobile: mobile.number })
  return await endAllSessions(tx, site.id, id, 'recovery')
}
