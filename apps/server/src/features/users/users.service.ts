import { isUsername } from '@hufu/contract/account-rules'
import { email as emailField } from '@hufu/contract/fields'
import { AppError } from '../../platform/app-error.ts'
import type { LoadShedding } from '../../platform/config/wait-limits.ts'
import { hashPassword } from '../../platform/crypto/password-hash.ts'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { recordOperator } from '../../shared/audit/operator-log.ts'
import { recordSecurity } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { changeUser } from '../../shared/sessions/change-user.ts'
import { endAllSessions } from '../../shared/sessions/sessions.store.ts'
import { withoutStepUp } from '../../shared/step-up/authority.ts'
import { parseMobile } from './login-names.ts'
import { refuseWeak, requireRule } from './new-password.ts'
import { endRecovery } from './recovery.store.ts'
import { findOwner, grantActions, insertUser, type NewUser, setPassword, setStatus } from './users.store.ts'

type Needs = Pick<Deps, 'db' | 'cache'>

export interface UserToCreate {
  mobilePrefix?: string | undefined
  mobile?: string | undefined
  email?: string | undefined
  username?: string | undefined
  nickname?: string | undefined
  password?: string | undefined
}

/** Creates an account from the command line. */
export async function createUser(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  siteId: SiteId,
  given: UserToCreate,
  operator: string,
): Promise<UserId> {
  const user = checkUser(given)
  const secret = given.password === undefined ? undefined : await newSecret(config, given.password, given)
  return await db.transaction().execute(async (tx) => {
    const id = await insertUser(tx, siteId, user)
    if (!id) throw new AppError('INPUT_INVALID', { reason: 'a name is taken' })
    if (secret) await setPassword(tx, withoutStepUp('commandLine'), siteId, id, secret)
    await recordOperator(tx, siteId, { operator, action: 'user.create', target: id })
    return id
  })
}

function newSecret(config: LoadShedding, password: string, names: UserToCreate): Promise<string> {
  requireRule(password)
  refuseWeak(password, names)
  return hashPassword(config, password)
}

function checkUser({ mobilePrefix, mobile, email, username, nickname }: UserToCreate): NewUser {
  const parsed = mobile === undefined ? undefined : parseMobile(mobilePrefix ?? '86', mobile)
  if (mobile !== undefined && !parsed) throw new AppError('MOBILE_INVALID')
  const address = email === undefined ? undefined : emailField.safeParse(email)
  if (address && !address.success) throw new AppError('INPUT_INVALID', { field: 'email' })
  if (username !== undefined && !isUsername(username)) throw new AppError('INPUT_INVALID', { field: 'username' })
  if (!parsed && !address && !username) throw new AppError('INPUT_INVALID', { reason: 'no name to sign in with' })
  return { mobile: parsed, email: address?.data, username, nickname }
}

/** By the user's login number. */
export async function findByMobile({ db }: Needs, siteId: SiteId, prefix: string, typed: string): Promise<UserId> {
  const mobile = parseMobile(prefix, typed)
  const owner = mobile && (await findOwner(db, siteId, 'mobile', mobile.value))
  if (!owner) throw new AppError('NOT_FOUND')
  return owner.userId
}

export async function changeStatus(
  deps: Needs,
  siteId: SiteId,
  userId: UserId,
  status: 'active' | 'disabled',
  operator: string,
): Promise<void> {
  await changeUser(deps, siteId, userId, async (tx, ended) =>
    ended(await applyStatus(tx, siteId, userId, status, operator)),
  )
}

/**
 * Both ways end every session, in this order: one that slipped in while the user was disabled must not revive when they
 * are enabled. What didn't change isn't recorded.
 */
export async function applyStatus(
  tx: Db,
  siteId: SiteId,
  userId: UserId,
  status: 'active' | 'disabled',
  operator: string,
): Promise<SessionId[]> {
  const verb = status === 'active' ? 'enable' : 'disable'
  if (!(await setStatus(tx, siteId, userId, status))) return []
  const ended = await endAllSessions(tx, siteId, userId, 'disabled')
  await endRecovery(tx, siteId, userId)
  await recordOperator(tx, siteId, { operator, action: `user.${verb}`, target: userId })
  await recordSecurity(tx, siteId, { event: `account.${verb}`, userId, address: null })
  return ended
}

export async function grant(
  deps: Needs,
  siteId: SiteId,
  userId: UserId,
  area: string,
  actions: string[],
  operator: string,
): Promise<void> {
  await changeUser(deps, siteId, userId, async (tx) => {
    await grantActions(tx, withoutStepUp('commandLine'), siteId, userId, area, actions)
    await recordOperator(tx, siteId, { operator, action: 'user.grant', target: userId, detail: { area, actions } })
  })
}
