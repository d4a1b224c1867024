import type { RecoveryPurpose, RecoveryStanding } from '@hufu/contract/recovery'
import { AppError } from '../../platform/app-error.ts'
import { newSecret, sha256 } from '../../platform/crypto/hash.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { issueLink } from '../../shared/notices/notice-links.store.ts'
import { textsNotices } from '../../shared/notices/sms-notices.ts'
import { refuseDisabled, type Visitor } from '../../shared/sessions/begin-session.ts'
import { changeUser } from '../../shared/sessions/change-user.ts'
import { readUser } from '../../shared/sessions/sessions.store.ts'
import type { UserState } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { maskedEmail } from '../../shared/users/masked.ts'
import { findChange, settledEmail } from '../users/account-changes.store.ts'
import { countRecoveryTry } from '../users/password-tries.ts'
import { type PasswordLogin, provePassword } from '../users/prove-password.ts'
import { lockUser } from '../users/user.store.ts'
import { holdPassword, knowsBrowser, noteIdentityProof } from '../users/users.store.ts'
import { sendCode, spendCode, tryCode } from '../verify-code/verify-code.service.ts'
import { insertRecovery, insertTicket, proveTicket, readStanding, wholeDays } from './recovery.store.ts'
import { notifyStart } from './recovery-notices.ts'
import { hold, holderOf } from './tickets.ts'

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

/** A number is replaced for an account with two contacts: where no SMS can be sent, only the mailbox would be notified. */
const replacesNumber = (site: Site, { mobile, recovery }: UserState): boolean =>
  // A number that moved on to its new holder during the wait doesn't end a recovery that was begun before.
  (mobile !== null || recovery !== null) && textsNotices(site)

/** Lost factors are removed for customers alone; operators have their administrators. */
const removesFactors = (user: UserState): boolean => user.protected && !user.permission.MERCHANT?.length

/** The address for the code, where the account has something to recover. */
const mailboxOf = (site: Site, user: UserState): string | null =>
  replacesNumber(site, user) || removesFactors(user) ? user.email : null

/** From before all recent changes: later ones may be an attacker's. */
async function mailboxBefore(tx: Db, site: Site, { id, email }: UserState): Promise<string | null> {
  const settled = await settledEmail(tx, site.id, id)
  return settled ? settled.email : email
}

/** The first proof is a sign-in by password without the session: the same work, the same refusals, and recorded. */
export async function openRecovery(
  deps: Needs,
  site: Site,
  login: PasswordLogin,
  visitor: Visitor,
): Promise<{ ticket: string; email: string }> {
  const rules = { countTry: countRecoveryTry, former: true }
  const { userId, stored, change } = await provePassword(deps, site, login, visitor, rules)
  const { browserHash, address } = visitor
  const ticket = newSecret()
  const email = await deps.db.transaction().execute(async (tx) => {
    await lockUser(tx, site.id, userId)
    const user = await readUser(tx, site.id, userId)
    const held = change
      ? await findChange(tx, site.id, userId, change.id)
      : await holdPassword(tx, site.id, userId, stored)
    if (!user || !held) throw new AppError('LOGIN_FAILED')
    refuseDisabled(user)
    const mailbox = change ? await mailboxBefore(tx, site, user) : mailboxOf(site, user)
    if (mailbox) await insertTicket(tx, site.id, sha256(ticket), { userId, browserHash, changeId: change?.id })
    // Any answer from here on reveals that the password is right.
    await recordSecurity(tx, site.id, { event: 'recovery.open', userId, address })
    return mailbox
  })
  if (!email) throw new AppError('RECOVERY_CONTACT')
  return { ticket, email: maskedEmail(email) }
}

export async function sendRecoveryEmailCode(
  deps: Needs,
  site: Site,
  { ticket, proof }: { ticket: string; proof?: string | undefined },
  visitor: Visitor,
): Promise<{ retryAfter: number }> {
  const { ticketHash, owner } = await holderOf(deps, site, ticket, 'password', visitor)
  return await sendCode(deps, site, {
    receiver: { kind: 'email', value: owner.email },
    purpose: 'recovery',
    address: visitor.address,
    bucket: visitor.bucket,
    browserHash: ticketHash,
    powSolution: proof,
    // The password behind the ticket would begin a session as well.
    asker: 'own',
    send: true,
    wait: true,
  })
}

export async function proveRecovery(
  deps: Needs,
  site: Site,
  { ticket, code, proof }: { ticket: string; code: string; proof?: string | undefined },
  visitor: Visitor,
): Promise<RecoveryStanding> {
  const holder = await holderOf(deps, site, ticket, 'password', visitor)
  const { ticketHash, owner } = holder
  const known = () => knowsBrowser(deps.db, site.id, owner.id, visitor.browserHash)
  const right = await tryCode(deps, site, {
    receiver: owner.email,
    purpose: 'recovery',
    code,
    browserHash: ticketHash,
    address: visitor.address,
    guesser: { known, bucket: visitor.bucket, powSolution: proof },
  })
  return await deps.db.transaction().execute(async (tx) => {
    const { id, email } = await hold(tx, site, holder, 'password')
    await spendCode(tx, site.id, right)
    await noteIdentityProof(tx, site.id, id, 'email', email)
    await proveTicket(tx, site.id, ticketHash)
    const standing = await readStanding(tx, site.id, id)
    return holder.changeId === null ? standing : { ...standing, ...undoable }
  })
}

const undoable = { stage: 'undo', purpose: null, ready: null, expires: null } as const

/** Begins the wait and notifies every contact. Of several parallel calls one begins it; later ones get its state. */
export async function startRecovery(
  deps: Needs,
  site: Site,
  { ticket, purpose }: { ticket: string; purpose: RecoveryPurpose },
  visitor: Visitor,
): Promise<RecoveryStanding> {
  const holder = await holderOf(deps, site, ticket, 'both', visitor)
  const userId = holder.owner.id
  return await changeUser(deps, site.id, userId, async (tx) => {
    const owner = await hold(tx, site, holder, 'both')
    const allowed = purpose === 'factor' ? removesFactors(owner) : replacesNumber(site, owner)
    if (!allowed) throw new AppError('RECOVERY_CONTACT')
    const id = await insertRecovery(tx, site.id, userId, purpose)
    const begun = await readStanding(tx, site.id, userId)
    const link = { purpose: 'recovery' as const, userId, days: wholeDays }
    const token = id && (await issueLink(tx, site.id, { ...link, subject: id }))
    if (!token || begun.ready === null) return begun
    const event = purpose === 'factor' ? 'recovery.startFactor' : 'recovery.start'
    await recordSecurity(tx, site.id, { event, userId, address: visitor.address })
    await notifyStart(tx, site, owner, { purpose, now: deps.clock.now(), ready: begun.ready, token })
    return begun
  })
}
