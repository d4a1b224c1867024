import { isUsername, passwordProblems } from '@hufu/contract/account-rules'
import type { ErrorCode } from '@hufu/contract/errors'
import { AppError } from '../../core/app-error.ts'
import type { Db } from '../../core/db.ts'
import type { Deps } from '../../core/deps.ts'
import { newSecret, sha256 } from '../../core/hash.ts'
import type { SessionId } from '../../core/ids.ts'
import { hashPassword } from '../../core/password-hash.ts'
import type { IdentityKind } from '../../core/schema.ts'
import { recordSecurity } from '../../core/security-log.ts'
import type { SessionToken } from '../../core/session-cookie.ts'
import { endOtherSessions, type HeldSession, holdSession, renewSecret } from '../../core/sessions.store.ts'
import { burySession, buryUser, type Caller } from '../../core/sessions.ts'
import type { Site } from '../../core/sites.ts'
import { ownMobile, parseMobile } from '../users/login-names.ts'
import { type Change, queueNotice } from '../users/notices.ts'
import { owedProofs } from '../users/proofs.ts'
import { type Account, giveName, holdAccount, setPassword, showNames, takeName } from '../users/users.store.ts'
import { spendCode, tryCode } from '../verify-code/verify-code.service.ts'

type Needs = Pick<Deps, 'db' | 'cache' | 'config' | 'clock'>

/** Whose account, from which browser. */
export interface Changer {
  caller: Caller
  address: string
  browserHash: Buffer
}

interface Held {
  account: Account
  session: HeldSession
}

/**
 * The frame of every change: under the locks of person and session, past all caches, with the check still in force. What
 * happens to the account, its entry in the log, the notice and the new secret commit together.
 */
async function change(
  deps: Needs,
  site: Site,
  { caller, address }: Changer,
  kind: Change,
  apply: (tx: Db, held: Held) => Promise<SessionId[] | undefined>,
): Promise<SessionToken> {
  const { userId, session } = caller
  const secret = newSecret()
  const ended = await deps.db.transaction().execute(async (tx) => {
    const account = await holdAccount(tx, site.id, userId)
    const held = account && (await holdSession(tx, site.id, userId, session.id))
    if (!held) throw new AppError('SESSION_REMOVED')
    if (!held.checked) throw new AppError('TWO_FACTOR_REQUIRED')
    const others = (await apply(tx, { account, session: held })) ?? []
    await renewSecret(tx, site.id, userId, session.id, sha256(secret))
    await recordSecurity(tx, site.id, { event: `${kind}.change`, userId, address })
    await queueNotice(tx, site, account, kind, deps.clock.now())
    return others
  })
  await buryUser(deps, site.id, userId)
  await burySession(deps, site.id, userId, [session.id, ...ended])
  return { userId, sessionId: session.id, secret }
}

/** The former name is free again in the moment in which the new one is taken; in this order no two changes wait in a circle. */
async function replaceName(
  tx: Db,
  site: Site,
  { userId }: Caller,
  kind: IdentityKind,
  former: string | undefined,
  value: string,
  taken: ErrorCode,
): Promise<void> {
  if (former === value) throw new AppError('UNCHANGED')
  if (!(await giveName(tx, site.id, userId, kind, value))) throw new AppError(taken)
  if (former !== undefined) await takeName(tx, site.id, userId, kind, former)
}

export interface NewMobile {
  mobilePrefix: string
  mobile: string
  code: string
}

export async function changeMobile(
  deps: Needs,
  site: Site,
  prefixes: readonly string[],
  wanted: NewMobile,
  changer: Changer,
): Promise<SessionToken> {
  const { caller, address, browserHash } = changer
  const { mobilePrefix, code } = wanted
  const mobile = prefixes.includes(mobilePrefix) ? parseMobile(mobilePrefix, wanted.mobile) : undefined
  if (!mobile) throw new AppError('MOBILE_INVALID', { field: 'mobile' })
  const right = await tryCode(deps, site, {
    receiver: mobile.value,
    purpose: 'changeMobile',
    code,
    browserHash,
    address,
  })
  return await change(deps, site, changer, 'mobile', async (tx, { account, session }) => {
    const owed = owedProofs({ ...caller.user, ...account }, session)
    if (owed.length > 0) throw new AppError('TWO_FACTOR_REQUIRED', { second: owed })
    await spendCode(tx, site.id, right)
    await replaceName(tx, site, caller, 'mobile', ownMobile(account)?.value, mobile.value, 'MOBILE_TAKEN')
    await showNames(tx, site.id, caller.userId, { mobilePrefix: mobile.prefix, mobile: mobile.number })
    return undefined
  })
}

export async function changeEmail(
  deps: Needs,
  site: Site,
  { email, code }: { email: string; code: string },
  changer: Changer,
): Promise<SessionToken> {
  const { caller, address, browserHash } = changer
  const right = await tryCode(deps, site, { receiver: email, purpose: 'authorize', code, browserHash, address })
  return await change(deps, site, changer, 'email', async (tx, { account }) => {
    await spendCode(tx, site.id, right)
    await replaceName(tx, site, caller, 'email', account.email ?? undefined, email, 'EMAIL_TAKEN')
    await showNames(tx, site.id, caller.userId, { email })
    return undefined
  })
}

export async function changeUsername(deps: Needs, site: Site, typed: string, changer: Changer): Promise<SessionToken> {
  const username = typed.trim()
  if (!isUsername(username)) throw new AppError('USERNAME_INVALID', { field: 'username' })
  const { caller } = changer
  return await change(deps, site, changer, 'username', async (tx, { account }) => {
    const former = account.username?.toLowerCase()
    // Only the spelling is new: the name itself stays where it is.
    if (former !== username.toLowerCase() || account.username === username)
      await replaceName(tx, site, caller, 'username', former, username.toLowerCase(), 'USERNAME_TAKEN')
    await showNames(tx, site.id, caller.userId, { username })
    return undefined
  })
}

const refusals = { symbols: 'PASSWORD_SYMBOLS', length: 'PASSWORD_LENGTH', contain: 'PASSWORD_CONTAIN' } as const

export async function changePassword(
  deps: Needs,
  site: Site,
  password: string,
  changer: Changer,
): Promise<SessionToken> {
  const [problem] = passwordProblems(password)
  if (problem && problem !== 'mismatch') throw new AppError(refusals[problem], { field: 'password' })
  // Hashing is slow on purpose: nobody waits for it under the locks.
  const secret = await hashPassword(password)
  const { userId, session } = changer.caller
  return await change(deps, site, changer, 'password', async (tx) => {
    await setPassword(tx, site.id, userId, secret)
    return await endOtherSessions(tx, site.id, userId, session.id, 'password')
  })
}
