import { randomUUID } from 'node:crypto'

declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

export type SiteId = Branded<'SiteId'>

export const newSiteId = () => randomUUID() as SiteId

export type UserId = Branded<'UserId'>
export const newUserId = () => randomUUID() as UserId

export type SessionId = Branded<'SessionId'>
export const newSessionId = () => randomUUID() as SessionId

/** Kinds of WeChat carry the app that gave the id: `wechat.openid:wx…`. */
export type IdentityKind = 'mobile' | 'email' | 'username' | `wechat.${string}`

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const isUuid = (text: string): boolean => uuid.test(text)
