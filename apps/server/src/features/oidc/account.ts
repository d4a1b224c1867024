import { avatarPath } from '@hufu/contract/avatar-rules'
import type { Account } from 'oidc-provider'
import { isUuid, type UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Site } from '../../shared/sites/sites.ts'
import { type OidcUser, readOidcUser } from './token-state.store.ts'
import { knownState } from './token-state.ts'

function claimsOf(site: Site, user: OidcUser) {
  const name = user.nickname ?? user.wechatNickname ?? undefined
  const phone = user.mobile !== null ? `+${user.mobilePrefix}${user.mobile}` : undefined
  const email = user.email ?? undefined
  return {
    sub: user.id,
    ...(name !== undefined && { name, nickname: name }),
    ...(user.avatarTime !== null && { picture: site.origin + avatarPath(user.id, user.avatarTime) }),
    // Numbers and addresses enter an account by a code alone.
    ...(phone !== undefined && { phone_number: phone, phone_number_verified: true }),
    ...(email !== undefined && { email, email_verified: true }),
  }
}

/** The user behind a token, as of now; undefined when the account is disabled, due for erasure or gone. */
export async function findAccount(db: Db, site: Site, id: string): Promise<Account | undefined> {
  if (!isUuid(id)) return undefined
  const known = knownState()
  const user = known?.userId === id ? known.user : await readOidcUser(db, site.id, id as UserId)
  if (user?.status !== 'active') return undefined
  return { accountId: id, claims: () => claimsOf(site, user) }
}
