import type { SiteId, UserId } from '../../platform/ids.ts'
import type { Db } from '../../platform/postgres/db.ts'
import type { IdentityKind } from '../../platform/postgres/schema.ts'
import type { Authority } from '../../shared/step-up/authority.ts'
import { findOwner, giveName, type Owner } from '../users/users.store.ts'

/** How WeChat names a person: to one app, and to all apps of one owner where these are linked. */
export interface WechatIds {
  openid: string
  unionid?: string | undefined
}

interface Name {
  kind: IdentityKind & `wechat.${string}`
  value: string
}

/** The name that reaches further comes first. */
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

/** False when one of the names signs in to another account; those that are the person's own already stay. */
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
