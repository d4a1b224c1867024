import { AppError } from '../../platform/app-error.ts'
import { newSecret, sha256 } from '../../platform/crypto/hash.ts'
import type { SessionId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { changeUser } from '../../shared/sessions/change-user.ts'
import type { SessionToken } from '../../shared/sessions/session-cookie.ts'
import { holdSession, renewSecret } from '../../shared/sessions/sessions.store.ts'
import type { Changer } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import type { StepUp } from '../../shared/step-up/authority.ts'
import { requireStepUp } from '../../shared/step-up/step-up.ts'
import { type Change, isUndoable, queueNotice } from './account-change-notices.ts'
import { insertChange, readSnapshot, settledEmail } from './account-changes.store.ts'
import { endRecovery } from './recovery.store.ts'
import { type Account, holdAccount } from './users.store.ts'

export interface Frame {
  kind: Change
  event: string
  /** Takes what must be locked before the user. */
  first?: (tx: Db) => Promise<void>
  /** A sign-in of the last minutes counts as the step-up. */
  recentSignIn?: boolean
}

export interface Held {
  account: Account
  by: StepUp<'secondKind'>
}

/** A user who can change one of these needs no recovery, and one that was begun with the former ones is void. */
const endingRecovery: Change[] = ['mobile', 'password', 'email']
/** Neither is a recovery of lost factors needed where one was proved. */
const endingFactorRecovery: Change[] = [...endingRecovery, 'factorAdded', 'factorRemoved', 'codesRenewed']

/**
 * The frame of every change of credentials: under the locks of user and session, past all caches. The change, its log
 * entry, the notice and the new secret commit together; it answers the sessions that it ended.
 */
export async function changeAccount(
  deps: Pick<Deps, 'db' | 'cache' | 'clock'>,
  site: Site,
  { caller, address }: Changer,
  { kind, event, first, recentSignIn = false }: Frame,
  apply: (tx: Db, held: Held) => Promise<SessionId[] | undefined>,
): Promise<SessionToken> {
  const { userId, session } = caller
  const secret = newSecret()
  await changeUser(deps, site.id, userId, async (tx, report) => {
    await first?.(tx)
    const account = await holdAccount(tx, site.id, userId)
    if (!account) throw new AppError('SESSION_REMOVED')
    const by = await requireStepUp(tx, caller, 'secondKind', { recentSignIn, read: holdSession })
    const before = await readSnapshot(tx, site.id, userId)
    const ended = (await apply(tx, { account, by })) ?? []
    await renewSecret(tx, site.id, userId, session.id, sha256(secret))
    await recordSecurity(tx, site.id, { event, userId, address })
    if (endingFactorRecovery.includes(kind) && (await endRecovery(tx, site.id, userId, purposeOf(kind))))
      await recordSecurity(tx, site.id, { event: 'recovery.cancel', userId, address })
    await announce(tx, site, userId, { kind, account, before, now: deps.clock.now() })
    report([session.id, ...ended])
  })
  return { userId, sessionId: session.id, secret }
}

const purposeOf = (kind: Change) => (endingRecovery.includes(kind) ? undefined : ('factor' as const))

interface Made {
  kind: Change
  account: Account
  before: Awaited<ReturnType<typeof readSnapshot>>
  now: number
}

/**
 * Notifies the contacts of before the change. The link that undoes it goes to the address from before all changes of
 * the last 72 hours: a later one may be an attacker's.
 */
async function announce(tx: Db, site: Site, userId: UserId, { kind, account, before, now }: Made): Promise<void> {
  if (!isUndoable(kind)) return await queueNotice(tx, site, account, kind, now)
  const settled = await settledEmail(tx, site.id, userId)
  const to = settled ? settled.email : account.email
  const token = to && site.config.mail ? newSecret() : undefined
  await insertChange(tx, site.id, userId, { kind, ...before, token })
  await queueNotice(tx, site, account, kind, now, to && token ? { to, token } : undefined)
}
