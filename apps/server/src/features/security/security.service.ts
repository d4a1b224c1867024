import type { OwnSecurityEntry } from '@hufu/contract/security'
import { AppError } from '../../platform/app-error.ts'
import type { SessionId } from '../../platform/ids.ts'
import { type Counted, detailText, entryOf, listSecurity, type SecurityRow } from '../../shared/audit/security-list.ts'
import { byOthers } from '../../shared/audit/security-log.ts'
import type { Deps } from '../../shared/deps.ts'
import { changeSessions } from '../../shared/sessions/change-user.ts'
import { lookAtSession } from '../../shared/sessions/sessions.store.ts'
import type { Caller } from '../../shared/sessions/sessions.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { lockUser } from '../users/user.store.ts'
import { disown } from './disown.ts'
import { readSignIns, type SignIn } from './security.store.ts'

export async function listOwnSecurity(
  { db }: Pick<Deps, 'db'>,
  site: Site,
  { userId, session }: Caller,
  page: { top: number; skip: number },
): Promise<Counted<OwnSecurityEntry>> {
  const { data, ...counted } = await listSecurity(db, site.id, userId, page)
  const ids = data.flatMap((row) => sessionOf(row) ?? [])
  const signIns = new Map((await readSignIns(db, site.id, userId, ids)).map((signIn) => [signIn.id as string, signIn]))
  return { ...counted, data: data.map((row) => ownEntry(row, signIns.get(sessionOf(row) ?? ''), session.id)) }
}

/** The session that a sign-in began. */
const sessionOf = ({ event, detail }: SecurityRow) => (event === 'login' ? detailText(detail.session) : null)

function ownEntry(row: SecurityRow, signIn: SignIn | undefined, current: SessionId): OwnSecurityEntry {
  const entry = entryOf(row)
  return {
    ...entry,
    ...(byOthers.includes(row.event) && { ip: null, region: null }),
    client: detailText(row.detail.client) ?? detailText(row.detail.origin),
    session: signIn ? { ...signIn, current: signIn.id === current } : null,
  }
}

/** 不是我: another user's session is answered like an unknown one; idempotent. */
export async function disownSignIn(
  deps: Pick<Deps, 'db' | 'cache'>,
  site: Site,
  { userId, session }: Caller,
  id: SessionId,
  address: string,
): Promise<null> {
  if (id === session.id) throw new AppError('CURRENT_SESSION')
  await changeSessions(deps, site.id, userId, async (tx, ended) => {
    await lockUser(tx, site.id, userId)
    // Of two browsers that disown each other one was first, and the other is signed out.
    const held = await lookAtSession(tx, site.id, userId, session.id)
    if (!held) throw new AppError('SESSION_REMOVED')
    const [signIn] = await readSignIns(tx, site.id, userId, [id])
    if (!signIn) throw new AppError('NOT_FOUND')
    ended(await disown(tx, site.id, userId, { id, address, current: session.id, forget: !held.newBrowser }))
  })
  return null
}
