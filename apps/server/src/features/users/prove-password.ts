import { AppError } from '../../platform/app-error.ts'
import { sha256 } from '../../platform/crypto/hash.ts'
import { checkPassword, hashPassword, isOutdated, requireTurn } from '../../platform/crypto/password-hash.ts'
import { newUserId, type UserId } from '../../platform/ids.ts'
import { recordFailure } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { refuseDisabled, type Visitor } from '../../shared/sessions/begin-session.ts'
import { requireMethod } from '../../shared/sites/login-options.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { type AccountChange, findPasswordChange } from './account-changes.store.ts'
import { decoyForm } from './decoy-form.ts'
import { parseAccount } from './login-names.ts'
import { countPasswordTry, forgetPasswordTries } from './password-tries.ts'
import { findOwner, findPassword, knowsBrowser, replaceHash } from './users.store.ts'

export interface PasswordLogin {
  account: string
  password: string
  proof?: string | undefined
}

/** Whose password it was, and its stored hash: it may change a moment later. */
export interface ProvedPassword {
  userId: UserId
  stored: string
  /** The change before which this was the password, where it isn't any more. */
  change?: AccountChange
}

export interface PasswordRules {
  countTry?: typeof countPasswordTry
  /** The password before a change of the last 72 hours counts as well. */
  former?: boolean
}

/** The user of the typed name and password. A wrong password and an unknown account are refused alike. */
export async function provePassword(
  deps: Pick<Deps, 'db' | 'redis' | 'config' | 'clock'>,
  site: Site,
  login: PasswordLogin,
  { browserHash, bucket, address }: Visitor,
  { countTry = countPasswordTry, former = false }: PasswordRules = {},
): Promise<ProvedPassword> {
  requireMethod(site, 'password')
  requireTurn(deps.config)
  const { db } = deps
  const name = parseAccount(login.account, site.login.regions)
  const owner = name && (await findOwner(db, site.id, name.kind, name.value))
  // An unknown account makes the same queries: the time of the answer must not reveal it.
  const userId = owner?.userId ?? newUserId()
  const known = await knowsBrowser(db, site.id, userId, browserHash)
  const typed = `${name?.kind ?? 'none'}:${sha256(name?.value ?? login.account).toString('base64url')}`
  const attempt = { account: owner?.userId ?? typed, userId, known, bucket, powSolution: login.proof }
  await countTry(deps, site, attempt)
  const form = await decoyForm(deps, site.id, typed)
  const stored = await findPassword(db, site.id, userId)
  if (!(await checkPassword(deps.config, login.password, stored, form)) || !owner || stored === undefined) {
    // Queried and compared also where there is none: the time of the answer must not reveal it.
    const change = former ? await findPasswordChange(db, site.id, userId) : undefined
    const matches = former && (await checkPassword(deps.config, login.password, change?.formerSecret ?? undefined))
    if (matches && owner && change) {
      refuseDisabled(owner)
      return { userId, stored: stored ?? '', change }
    }
    await recordFailure(db, site.id, { event: 'login.failed', userId: owner?.userId, address })
    throw new AppError('LOGIN_FAILED')
  }
  refuseDisabled(owner)
  await forgetPasswordTries(deps, site, attempt)
  return { userId, stored: isOutdated(stored) ? await renew(deps, site, userId, login.password, stored) : stored }
}

/**
 * Only here is the plain password available. Where there is no capacity now, the next sign-in will do; where a parallel
 * one has done it, what that one stored is the same password.
 */
async function renew(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  site: Site,
  userId: UserId,
  password: string,
  stored: string,
): Promise<string> {
  const secret = await hashPassword(config, password).catch(() => undefined)
  if (!secret) return stored
  if (await replaceHash(db, site.id, userId, stored, secret)) return secret
  const newest = await findPassword(db, site.id, userId)
  return newest !== undefined && (await checkPassword(config, password, newest)) ? newest : stored
}
