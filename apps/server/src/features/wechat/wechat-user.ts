import type { IdentityKind, SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { Authority } from '../../shared/step-up/authority.ts'
import { findOwner, giveName, type Owner } from '../users/users.store.ts'

/** WeChat's ids of a user: for one app, and for all linked apps of one owner. */
export interface WechatIds {
  openid: string
  unionid?: string | undefined
}

interface Name {
  kind: IdentityKind & `wechat.${string}`
  value: string
}

/** The id with the wider scope comes first. */
export const namesOf = (appId: string, { openid, unionid }: WechatIds): Name[] => [
  ...(unionid === undefined ? [] : [{ kind: `wechat.unionid:${appId}` as const, value: unionid }]),
  { kind: `wechat.openid:${appId}`, value: openid },
]

export async function findWechatOwner(
  db: Db,
  siteId: SiteId,
  appId: string,
  ids: WechatIds,
): Promise<Owner | undefined> {
  for (const { kind, value } of namesOf(appId, ids)) {
    const owner = await findOwner(db, siteId, kind, value)
    if (owner) return owner
  }
  return undefined
}

/** False when one of the ids signs in to another account; the user's own stay. */
export async function giveWechat(
  tx: Db,
  by: Authority,
  siteId: SiteId,
  userId: UserId,
  appId: string,
  ids: WechatIds,
): Promise<boolean> {
  for (const { kind, value } of namesOf(appId, ids)) {
    if (await giveName(tx, by, siteId, userId, kind, value)) continue
    const owner = await findOwner(tx, siteId, kind, value)
    if (owner?.userId !== userId) return false
  }
  return true
}
