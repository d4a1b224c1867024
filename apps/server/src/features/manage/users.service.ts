import type { ParsedInputOf } from '@hufu/contract/endpoint'
import type { findManagedUser, listManagedSessions, listManagedUsers, ManagedUser } from '@hufu/contract/manage-users'
import { AppError } from '../../platform/app-error.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../../shared/deps.ts'
import { type CursorFor, defaultTop, pageOf, parseCursor } from '../../shared/machine/cursor.ts'
import type { Machine } from '../../shared/machine/machine.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { maskedEmail, maskedMobile } from '../../shared/users/masked.ts'
import { type LoginName, parseAccount, parseMobile } from '../users/login-names.ts'
import { findOwner } from '../users/users.store.ts'
import { findUser, listUserSessions, listUsers } from './users.store.ts'

type Needs = Pick<Deps, 'db' | 'config'>

/** As this machine may see it. */
function shownTo<User extends ManagedUser>({ scopes }: Machine, user: User): User {
  if (scopes.includes('users:contact')) return user
  return { ...user, mobile: user.mobile && maskedMobile(user.mobile), email: user.email && maskedEmail(user.email) }
}

export async function readManagedUser(
  { db }: { db: Db },
  site: Site,
  machine: Machine,
  id: UserId,
): Promise<ManagedUser> {
  const user = await findUser(db, site.id, id)
  if (!user) throw new AppError('USER_UNKNOWN')
  return shownTo(machine, user)
}

export async function listManaged(
  { db, config: { keys } }: Needs,
  site: Site,
  machine: Machine,
  { top = defaultTop, cursor, ...filter }: ParsedInputOf<typeof listManagedUsers>,
): Promise<{ data: ManagedUser[]; next: string | null }> {
  const of: CursorFor = { site, machine, list: 'users', filter }
  const rows = await listUsers(db, site.id, filter, parseCursor(keys, of, cursor), top + 1)
  const { data, next } = pageOf(keys, of, rows, top)
  return { data: data.map((user) => shownTo(machine, user)), next }
}

/** The name in its unique spelling; a text of another kind matches no account. */
function nameOf(
  site: Site,
  { mobilePrefix, mobile, email, username }: ParsedInputOf<typeof findManagedUser>,
): LoginName | undefined {
  if (mobile !== undefined) {
    const parsed = parseMobile(mobilePrefix ?? site.login.regions[0]?.prefix ?? '86', mobile)
    return parsed && { kind: 'mobile', value: parsed.value }
  }
  const account = parseAccount(email ?? username ?? '', site.login.regions)
  return account?.kind === (email === undefined ? 'username' : 'email') ? account : undefined
}

export async function findManaged(
  { db }: Needs,
  site: Site,
  machine: Machine,
  given: ParsedInputOf<typeof findManagedUser>,
): Promise<ManagedUser> {
  const name = nameOf(site, given)
  const owner = name && (await findOwner(db, site.id, name.kind, name.value))
  if (!owner) throw new AppError('USER_UNKNOWN')
  return await readManagedUser({ db }, site, machine, owner.userId)
}

export async function listSessionsOf(
  { db, config: { keys } }: Needs,
  site: Site,
  machine: Machine,
  { id, top = defaultTop, cursor }: Omit<ParsedInputOf<typeof listManagedSessions>, 'id'> & { id: UserId },
) {
  if (!(await findUser(db, site.id, id))) throw new AppError('USER_UNKNOWN')
  const of: CursorFor = { site, machine, list: 'sessions', filter: { id } }
  return pageOf(keys, of, await listUserSessions(db, site.id, id, parseCursor(keys, of, cursor), top + 1), top)
}
