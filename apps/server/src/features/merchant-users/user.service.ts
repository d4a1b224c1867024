import type { Person, RevealedField } from '@hufu/contract/merchant-users'
import type { SecurityEntry } from '@hufu/contract/security'
import { AppError } from '../../platform/app-error.ts'
import type { UserId } from '../../platform/ids.ts'
import { recordLook, recordOperator } from '../../shared/audit/operator-log.ts'
import { type Counted, entryOf, listSecurity } from '../../shared/audit/security-list.ts'
import type { Deps } from '../../shared/deps.ts'
import { listSessions, type SessionPage } from '../../shared/sessions/session-list.store.ts'
import { readUser } from '../../shared/sessions/sessions.store.ts'
import type { Caller, UserState } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { requireStepUp } from '../../shared/step-up/step-up.ts'
import { maskedEmail, maskedMobile } from '../../shared/users/masked.ts'
import { canSignIn } from '../users/login-methods.ts'
import { type Facts, readFacts } from '../users/user.store.ts'

type Needs = Pick<Deps, 'db'>

/** Whether the user can still sign in without their number. */
export const staysOpen = (site: Site, user: UserState, { wechat }: Facts): boolean =>
  canSignIn(site, { ...user, mobile: null, wechat })

/** Every look at a user is recorded before anything is shown. */
async function look({ db }: Needs, site: Site, caller: Caller, id: UserId): Promise<Facts> {
  const facts = await readFacts(db, site.id, id)
  if (!facts) throw new AppError('NOT_FOUND')
  await recordLook(db, site.id, { operator: caller.userId, action: 'user.read', target: id })
  return facts
}

export async function readUserDetails(deps: Needs, site: Site, caller: Caller, id: UserId): Promise<Person> {
  const facts = await look(deps, site, caller, id)
  const user = await readUser(deps.db, site.id, id)
  if (!user) throw new AppError('NOT_FOUND')
  return {
    ...user,
    ...facts,
    mobile: user.mobile && maskedMobile(user.mobile),
    email: user.email && maskedEmail(user.email),
    avatar: user.avatar && user.avatarTime !== null ? `/api/avatar?id=${user.id}&t=${user.avatarTime}` : null,
    releasable: user.mobile !== null && staysOpen(site, user, facts),
  }
}

/** One field unmasked, after the step-up of the export; recorded before it is shown. */
export async function revealField(
  { db }: Needs,
  site: Site,
  caller: Caller,
  { id, field }: { id: UserId; field: RevealedField },
): Promise<{ value: string | null }> {
  return await db.transaction().execute(async (tx) => {
    await requireStepUp(tx, caller, 'secondKind')
    const user = await readUser(tx, site.id, id)
    if (!user) throw new AppError('NOT_FOUND')
    await recordOperator(tx, site.id, { operator: caller.userId, action: 'user.reveal', target: id, detail: { field } })
    return { value: user[field] }
  })
}

interface PageOf {
  id: UserId
  top: number
  skip: number
}

export async function listDevicesOf(
  deps: Needs,
  site: Site,
  caller: Caller,
  { id, ...page }: PageOf,
): Promise<SessionPage> {
  await look(deps, site, caller, id)
  return await listSessions(deps.db, site.id, id, page)
}

export async function listSecurityOf(
  deps: Needs,
  site: Site,
  caller: Caller,
  { id, ...page }: PageOf,
): Promise<Counted<SecurityEntry>> {
  await look(deps, site, caller, id)
  const { data, ...counted } = await listSecurity(deps.db, site.id, id, page)
  return { ...counted, data: data.map(entryOf) }
}
