import { AppError } from '../../platform/app-error.ts'
import type { SessionId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import { readLink, spendLink } from '../../shared/notices/notice-links.store.ts'
import { changeSessions } from '../../shared/sessions/change-user.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { lockUser } from '../users/user.store.ts'
import { disown } from './disown.ts'
import { readSignIn, type SignInDetails } from './security.store.ts'

/** The subject of a notice's link. Reading it changes nothing: mail programs open links by themselves. */
export async function readNoticedSignIn({ db }: Pick<Deps, 'db'>, site: Site, token: string): Promise<SignInDetails> {
  const link = await readLink(db, site.id, 'disown', token)
  const signIn = link && (await readSignIn(db, site.id, link.userId, link.subject))
  if (!signIn) throw new AppError('NOTICE_EXPIRED')
  return signIn
}

/** 不是我, by the receiver of the notice, signed in or not. */
export async function disownNoticedSignIn(
  deps: Pick<Deps, 'db' | 'cache'>,
  site: Site,
  token: string,
  address: string,
): Promise<null> {
  const link = await readLink(deps.db, site.id, 'disown', token)
  if (!link) throw new AppError('NOTICE_EXPIRED')
  const { userId, subject } = link
  await changeSessions(deps, site.id, userId, async (tx, ended) => {
    // The user before the link: the lock order everywhere.
    await lockUser(tx, site.id, userId)
    if (!(await spendLink(tx, site.id, 'disown', token))) throw new AppError('NOTICE_EXPIRED')
    ended(await disown(tx, site.id, userId, { id: subject as SessionId, address, forget: true }))
  })
  return null
}
