import { AppError } from '../../platform/app-error.ts'
import { newSecret, sha256 } from '../../platform/crypto/hash.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../../shared/deps.ts'
import {
  admit,
  beginSession,
  type Entered,
  refuseDisabled,
  type SignedIn,
  type Visitor,
} from '../../shared/sessions/begin-session.ts'
import { changeSessions } from '../../shared/sessions/change-user.ts'
import { endSession } from '../../shared/sessions/sessions.store.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import { requireMethod } from '../../shared/sites/login-options.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { type Mobile, parseMobile } from '../users/login-names.ts'
import { type PasswordLogin, provePassword } from '../users/prove-password.ts'
import { findReceiverOwner } from '../users/receiver-owner.ts'
import {
  findOwner,
  holdPassword,
  insertUser,
  knowsBrowser,
  noteIdentityProof,
  type Owner,
} from '../users/users.store.ts'
import { spendCode, tryCode } from '../verify-code/verify-code.service.ts'
import { insertConfirmation } from './login.store.ts'

type Needs = Pick<Deps, 'db' | 'redis' | 'config' | 'clock' | 'log' | 'usage'>

export interface MobileLogin {
  mobilePrefix: string
  mobile: string
  code: string
  proof?: string | undefined
}

/** Signs in by a texted code. The code is spent in the transaction of the session, so a failed sign-in doesn't burn it. */
export async function loginByMobile(deps: Needs, site: Site, login: MobileLogin, visitor: Visitor): Promise<SignedIn> {
  requireMethod(site, 'mobile')
  const mobile = parseMobile(login.mobilePrefix, login.mobile)
  if (!mobile) throw new AppError('MOBILE_INVALID', { field: 'mobile' })
  const { browserHash, address, bucket } = visitor
  const receiver = { kind: 'mobile' as const, value: mobile.value }
  const known = async () => (await findReceiverOwner(deps.db, site.id, receiver, browserHash)).known
  const right = await tryCode(deps, site, {
    receiver: mobile.value,
    purpose: 'login',
    code: login.code,
    browserHash,
    address,
    guesser: { known, bucket, powSolution: login.proof },
  })
  const outcome = await deps.db.transaction().execute(async (tx) => {
    await spendCode(tx, site.id, right)
    return await enter(tx, site, mobile, visitor)
  })
  // Not before it is spent: of several parallel calls with the same code one counts.
  deps.usage.countStep(site.id, 'codeVerified')
  if ('ticket' in outcome) throw new AppError('LOGIN_CONFIRM', { ticket: outcome.ticket })
  const signedIn = admit(outcome)
  countByCode(deps, site, signedIn)
  return signedIn
}

/** A session for the owner of a proved number; a ticket where it must be confirmed first whose account it is. */
async function enter(tx: Db, site: Site, mobile: Mobile, visitor: Visitor): Promise<Entered | { ticket: string }> {
  const { browserHash } = visitor
  const owner = await findOwner(tx, site.id, 'mobile', mobile.value)
  if (!owner) return await signUp(tx, site, mobile, visitor)
  if (owner.stale && !(await knowsBrowser(tx, site.id, owner.userId, browserHash))) {
    return { ticket: await askWhose(tx, site, owner, mobile, browserHash) }
  }
  refuseDisabled(owner)
  // The number was taken off the account in between; the code isn't spent, so a retry finds its owner.
  if (!(await noteIdentityProof(tx, site.id, owner.userId, 'mobile', mobile.value))) throw new AppError('SERVICE_BUSY')
  return { entered: await beginSession(tx, site, owner.userId, visitor, 'mobile'), created: false }
}

/** Statistics: a texted code led to a session. */
export function countByCode({ usage }: Pick<Deps, 'usage'>, site: Site, { token }: SignedIn): void {
  usage.countStep(site.id, 'codeSignedIn')
  usage.countAuthorized(site.id, token.userId)
}

/** An unknown number: a new account, while registration is open. */
export async function signUp(tx: Db, site: Site, mobile: Mobile, visitor: Visitor): Promise<Entered> {
  if (site.config.registration === 'closed') throw new AppError('CODE_WRONG')
  const userId = await insertUser(tx, site.id, { mobile })
  // A parallel call made the same account in between; the code isn't spent, so a retry finds it.
  if (!userId) throw new AppError('SERVICE_BUSY')
  return { entered: await beginSession(tx, site, userId, visitor, 'mobile'), created: true }
}

/** Carriers recycle numbers: after long silence and from an unknown browser, confirm first whose account it is. */
async function askWhose(tx: Db, site: Site, owner: Owner, mobile: Mobile, browserHash: Buffer): Promise<string> {
  const ticket = newSecret()
  await insertConfirmation(tx, site.id, sha256(ticket), { userId: owner.userId, mobile: mobile.value, browserHash })
  return ticket
}

/**
 * A change of password ends all other sessions: it waits for one that begins with the former password, or none begins.
 */
export async function loginByPassword(
  deps: Needs,
  site: Site,
  login: PasswordLogin,
  visitor: Visitor,
): Promise<SignedIn> {
  const { userId, stored } = await provePassword(deps, site, login, visitor)
  const entered = await deps.db.transaction().execute(async (tx) => {
    if (!(await holdPassword(tx, site.id, userId, stored))) throw new AppError('LOGIN_FAILED')
    return await beginSession(tx, site, userId, visitor, 'password')
  })
  const signedIn = admit({ entered, created: false })
  deps.usage.countAuthorized(site.id, userId)
  return signedIn
}

export async function logout(deps: Pick<Deps, 'db' | 'cache'>, site: Site, { userId, session }: Caller): Promise<void> {
  await changeSessions(deps, site.id, userId, async (tx, ended) => {
    await endSession(tx, site.id, userId, session.id, 'logout')
    ended([session.id])
  })
}
