import type { ColumnType, Generated } from 'kysely'
import type { IdentityKind, SessionId, SiteId, UserId } from '../ids.ts'

/** The tables as the migrations made them, for Kysely. */
export interface Database {
  site: SiteTable
  site_host: { host: string; site_id: SiteId }
  site_config: SiteConfigTable
  operator_log: OperatorLogTable
  users: UsersTable
  identity: IdentityTable
  user_identity: { site_id: SiteId; user_id: UserId; kind: IdentityKind; value: string }
  credential: CredentialTable
  permission: { site_id: SiteId; user_id: UserId; area: string; action: string; granted_at: Generated<Date | null> }
  consent: { site_id: SiteId; user_id: UserId; document: string; version: string; at: CreatedAt }
  session: SessionTable
  known_browser: { site_id: SiteId; user_id: UserId; cookie_hash: Buffer; first_seen: CreatedAt; last_used: CreatedAt }
  login_confirm: LoginConfirmTable
  wechat_ticket: WechatTicketTable
}

type Json = ColumnType<unknown, string, string>
type CreatedAt = ColumnType<Date, never, never>
/** A moment that the database itself computes. */
type Moment = ColumnType<Date, unknown, unknown>

interface SiteTable {
  id: SiteId
  origin: string
  status: Generated<'active' | 'disabled'>
  version: ColumnType<string, never, unknown>
  created_at: CreatedAt
}

interface SiteConfigTable {
  site_id: SiteId
  version: number
  config: Json
  saved_by: string
  restored: number | null
  saved_at: CreatedAt
}

interface OperatorLogTable {
  site_id: SiteId
  at: CreatedAt
  id: Generated<string>
  operator: string
  action: string
  target: string | null
  detail: Json
}

interface UsersTable {
  site_id: SiteId
  id: UserId
  listed_at: CreatedAt
  status: Generated<'active' | 'disabled'>
  nickname: string | null
  wechat_nickname: string | null
  wechat_open_id: string | null
  avatar_id: string | null
  wechat_avatar_id: string | null
  preference: ColumnType<unknown, string | undefined, string>
  mobile_prefix: string | null
  mobile: string | null
  email: string | null
  username: string | null
  password_fresh_until: ColumnType<Date | null, never, unknown>
  email_fresh_until: ColumnType<Date | null, never, unknown>
  wechat_fresh_until: ColumnType<Date | null, never, unknown>
}

interface IdentityTable {
  site_id: SiteId
  kind: IdentityKind
  value: string
  user_id: UserId
  proved_at: ColumnType<Date, never, unknown>
}

interface CredentialTable {
  site_id: SiteId
  user_id: UserId
  kind: 'password'
  secret: string
  changed_at: ColumnType<Date, never, unknown>
}

interface SessionTable {
  site_id: SiteId
  user_id: UserId
  id: SessionId
  secret_hash: Buffer
  created_at: CreatedAt
  method: string
  browser: string
  device: string
  os: string
  address: string
  region: string | null
  browser_hash: Buffer | null
  two_factor_at: ColumnType<Date | null, never, unknown>
  former_hash: ColumnType<Buffer | null, never, Buffer | null>
  former_until: ColumnType<Date | null, never, unknown>
  second_at: ColumnType<Date | null, never, unknown>
  asked: boolean
  ended_at: ColumnType<Date | null, never, unknown>
  end_reason: ColumnType<string | null, never, string>
}

interface LoginConfirmTable {
  site_id: SiteId
  ticket_hash: Buffer
  user_id: UserId
  mobile: string
  browser_hash: Buffer
  tries: Generated<number>
  expires_at: Moment
  spent_at: ColumnType<Date | null, never, unknown>
}

interface WechatTicketTable {
  site_id: SiteId
  hash: Buffer
  purpose: string
  browser_hash: Buffer
  user_id: UserId | null
  session_id: SessionId | null
  detail: Json
  expires_at: Moment
}
