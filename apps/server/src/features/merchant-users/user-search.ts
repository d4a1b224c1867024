import { isUuid, type UserId } from '../../platform/ids.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { parseAccount } from '../users/login-names.ts'
import { findOwner } from '../users/users.store.ts'
import { type Fitting, idsBetween, lastFour, nicknameFrom, oneUser } from './user-list.store.ts'

/** A whole id or its first eight characters; fewer are ambiguous. */
function idsFrom(typed: string): Fitting | undefined {
  const text = typed.toLowerCase()
  if (isUuid(text)) return oneUser(text as UserId)
  if (!/^[0-9a-f]{8}$/.test(text)) return undefined
  return idsBetween(`${text}-0000-0000-0000-000000000000`, `${text}-ffff-ffff-ffff-ffffffffffff`)
}

/**
 * The users that a text matches, best match first. It may be a username and a nickname's prefix; no user appears twice.
 */
export async function searchUsers(deps: Pick<Deps, 'db'>, site: Site, typed: string): Promise<Fitting[]> {
  const text = typed.normalize('NFKC').trim()
  const account = parseAccount(text, site.login.regions)
  const owner = account && (await findOwner(deps.db, site.id, account.kind, account.value))
  const named = owner ? [oneUser(owner.userId)] : []
  if (account?.kind === 'mobile' || account?.kind === 'email' || isUuid(text.toLowerCase()))
    return [...named, ...listed(idsFrom(text))]
  const sure = [...named, ...listed(idsFrom(text)), ...(/^\d{4}$/.test(text) ? [lastFour(text)] : [])]
  return [
    ...sure,
    nicknameFrom(
      typed.trim(),
      sure.map(({ fit }) => fit),
    ),
  ]
}

const listed = (fitting: Fitting | undefined) => (fitting ? [fitting] : [])
