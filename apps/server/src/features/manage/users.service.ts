import type { ManagedUser } from '@hufu/contract/manage-users'
import { AppError } from '../../platform/app-error.ts'
import type { UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Deps } from '../../shared/deps.ts'
import type { Machine } from '../../shared/machine/machine.ts'
import { readUser } from '../../shared/sessions/sessions.store.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { maskedEmail, maskedMobile } from '../../shared/users/masked.ts'
import { readFacts } from '../users/user.store.ts'

const whole = (value: string) => value

/** A user as this machine may see it. */
async function describeUser(db: Db, site: Site, { scopes }: Machine, id: UserId): Promise<ManagedUser> {
  const [user, facts] = [await readUser(db, site.id, id), await readFacts(db, site.id, id)]
  if (!user || !facts) throw new AppError('USER_UNKNOWN')
  const contact = scopes.includes('users:contact')
  const [mobile, email] = contact ? [whole, whole] : [maskedMobile, maskedEmail]
  const { status, username, mobilePrefix, password, protected: isProtected, closing } = user
  return {
    id: user.id,
    status,
    nickname: user.nickname ?? user.wechatNickname,
    username,
    mobilePrefix,
    mobile: user.mobile && mobile(user.mobile),
    email: user.email && email(user.email),
    password,
    wechat: facts.wechat,
    protected: isProtected,
    operator: user.permission.MERCHANT !== undefined,
    since: facts.since,
    closing,
  }
}

export const readManagedUser = (
  { db }: Pick<Deps, 'db'>,
  site: Site,
  machine: Machine,
  id: UserId,
): Promise<ManagedUser> => describeUser(db, site, machine, id)
