import { AppError } from '../../platform/app-error.ts'
import { hashPassword } from '../../platform/crypto/password-hash.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Visitor } from '../../shared/sessions/begin-session.ts'
import { changeUser } from '../../shared/sessions/change-user.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { findChange } from '../users/account-changes.store.ts'
import { refuseWeak, requireRule } from '../users/new-password.ts'
import { undoChange } from '../users/undo-change.ts'
import { hold, holderOf } from './tickets.ts'

type Needs = Pick<Deps, 'db' | 'cache' | 'config' | 'clock'>

/** The former password and a code mailed to the former address prove the owner: the account is restored at once. */
export async function undoByRecovery(
  deps: Needs,
  site: Site,
  { ticket, newPassword }: { ticket: string; newPassword: string },
  visitor: Visitor,
): Promise<null> {
  const holder = await holderOf(deps, site, ticket, 'undo', visitor)
  requireRule(newPassword)
  refuseWeak(newPassword, holder.owner, [site.config.name ?? '', ...site.hosts])
  const secret = await hashPassword(deps.config, newPassword)
  const userId = holder.owner.id
  await changeUser(deps, site.id, userId, async (tx, ended) => {
    await hold(tx, site, holder, 'undo')
    const change = await findChange(tx, site.id, userId, holder.changeId ?? '')
    if (!change) throw new AppError('RECOVERY_EXPIRED')
    const { address, browserHash } = visitor
    ended(await undoChange(tx, site, { change, secret, address, browserHash, now: deps.clock.now() }))
  })
  return null
}
