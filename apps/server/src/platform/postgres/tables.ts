// Generated from the migrations by `pnpm schema-types`: run it after adding one, and don't edit this file.
import type { IdentityKind, SessionId, SiteId, UserId } from '../ids.ts'

/** The product's tables, with their columns as the driver returns them. */
export interface Tables {
  account_change: AccountChangeTable
  authorize_request: AuthorizeRequestTable
  authorize_ticket: AuthorizeTicketTable
  authorized_client: AuthorizedClientTable
  blob: BlobTable
  code: CodeTable
  code_send: CodeSendTable
  consent: ConsentTable
  credential: CredentialTable
  data_export: DataExportTable
  deletion: DeletionTable
  delivery: DeliveryTable
  endpoint: EndpointTable
  enrolment_ticket: EnrolmentTicketTable
  event: EventTable
  event_head: EventHeadTable
  factor_ticket: FactorTicketTable
  factor_tries: FactorTriesTable
  feedback: FeedbackTable
  feedback_entry: FeedbackEntryTable
  feedback_note: FeedbackNoteTable
  feedback_of_user: FeedbackOfUserTable
  feedback_picture: FeedbackPictureTable
  idempotent_answer: IdempotentAnswerTable
  identity: IdentityTable
  known_browser: KnownBrowserTable
  login_confirm: LoginConfirmTable
  machine_read: MachineReadTable
  migration: MigrationTable
  notice_link: NoticeLinkTable
  oidc_consent: OidcConsentTable
  oidc_device_login: OidcDeviceLoginTable
  oidc_item: OidcItemTable
  oidc_key: OidcKeyTable
  oidc_login: OidcLoginTable
  oidc_salt: OidcSaltTable
  operator_log: OperatorLogTable
  passkey: PasskeyTable
  password_form: PasswordFormTable
  permission: PermissionTable
  quick_reply: QuickReplyTable
  receiver: ReceiverTable
  recovery: RecoveryTable
  recovery_code: RecoveryCodeTable
  recovery_ticket: RecoveryTicketTable
  sealed_sign_in: SealedSignInTable
  security_log: SecurityLogTable
  send_budget: SendBudgetTable
  session: SessionTable
  session_access: SessionAccessTable
  site: SiteTable
  site_config: SiteConfigTable
  site_host: SiteHostTable
  spent_challenge: SpentChallengeTable
  totp: TotpTable
  trouble: TroubleTable
  usage_day: UsageDayTable
  usage_flush: UsageFlushTable
  usage_hour: UsageHourTable
  user_access: UserAccessTable
  user_bucket: UserBucketTable
  user_export: UserExportTable
  user_export_part: UserExportPartTable
  user_identity: UserIdentityTable
  user_import: UserImportTable
  users: UsersTable
  wechat_ticket: WechatTicketTable
}

interface AccountChangeTable {
  site_id: SiteId
  user_id: UserId
  id: string
  kind: string
  at: Date
  expires_at: Date
  link_hash: Buffer | null
  former: unknown
  former_secret: string | null
  undone_at: Date | null
}

interface AuthorizeRequestTable {
  site_id: SiteId
  hash: Buffer
  source: string
  state: string | null
  expires_at: Date
  bound_at: Date | null
  challenge: string | null
}

interface AuthorizeTicketTable {
  site_id: SiteId
  hash: Buffer
  user_id: UserId
  origin: string
  expires_at: Date
  spent_at: Date | null
  session_id: SessionId | null
  challenge: string | null
  state: string | null
  address: string | null
}

interface AuthorizedClientTable {
  site_id: SiteId
  user_id: UserId
  client_id: string
  first_at: Date
  last_at: Date
  revoked_at: Date | null
}

interface BlobTable {
  site_id: SiteId
  id: string
  owner_id: string | null
  kind: string
  type: string
  bytes: Buffer
  created_at: Date
}

interface CodeTable {
  site_id: SiteId
  receiver: string
  purpose: string
  hmac: Buffer
  sealed: string
  expires_at: Date
  browser_hash: Buffer | null
  own_tries: number
  other_tries: number
  spent_at: Date | null
}

interface CodeSendTable {
  site_id: SiteId
  receiver: string
  at: Date
  id: string
  purpose: string
  outcome: string | null
  asker: string
}

interface ConsentTable {
  site_id: SiteId
  user_id: UserId
  document: string
  version: string
  at: Date
}

interface CredentialTable {
  site_id: SiteId
  user_id: UserId
  kind: string
  secret: string
  changed_at: Date
  imported_form: string | null
}

interface DataExportTable {
  site_id: SiteId
  user_id: UserId
  id: string
  status: 'waiting' | 'running' | 'done' | 'failed'
  done: number
  total: number
  created_at: Date
  expires_at: Date | null
}

interface DeletionTable {
  site_id: SiteId
  user_id: UserId
  id: string
  requested_at: Date
  due_at: Date
  held_until: Date | null
  told_at: Date | null
}

interface DeliveryTable {
  site_id: SiteId
  endpoint_id: string
  pos: string
  event_id: string
  subject: string | null
  ordered_by: string
  tries: number
  due_at: Date
  first_at: Date | null
  last_at: Date | null
  done_at: Date | null
  status: number | null
  failure: string | null
  duration_ms: number | null
  answer: string | null
}

interface EndpointTable {
  site_id: SiteId
  id: string
  url: string
  pos: string
  next_at: Date | null
  held_by: string | null
  held_until: Date | null
  failures: number
  rest_until: Date | null
  disabled_at: Date | null
  disabled_for: string | null
}

interface EnrolmentTicketTable {
  site_id: SiteId
  user_id: UserId
  hash: Buffer
  expires_at: Date
}

interface EventTable {
  site_id: SiteId
  id: string
  pos: string | null
  type: string
  subject: string | null
  at: Date
  data: unknown
}

interface EventHeadTable {
  site_id: SiteId
  last: string
  dropped: string
}

interface FactorTicketTable {
  site_id: SiteId
  ticket_hash: Buffer
  user_id: UserId
  browser_hash: Buffer
  method: string
  agreements: string | null
  tries: number
  expires_at: Date
}

interface FactorTriesTable {
  site_id: SiteId
  user_id: UserId
  known: boolean
  tries: number
  since: Date
}

interface FeedbackTable {
  site_id: SiteId
  id: string
  user_id: UserId
  status: number
  last_seq: number
  offered: boolean
  user_texts: number
  merchant_texts: number
  created_at: Date
  last_message_at: Date
  waiting_since: Date | null
  user_seen: number
  merchant_seen: number
  user_told_at: Date | null
  merchant_told_at: Date | null
  rating: number | null
  rating_words: string | null
  rated_at: Date | null
}

interface FeedbackEntryTable {
  site_id: SiteId
  feedback_id: string
  seq: number
  role: 'user' | 'merchant'
  author_id: string
  message: string
  status: number | null
  at: Date
  client_key: string | null
  pictures: unknown
}

interface FeedbackNoteTable {
  site_id: SiteId
  feedback_id: string
  id: string
  author_id: string
  text: string
  at: Date
}

interface FeedbackOfUserTable {
  site_id: SiteId
  user_id: UserId
  feedback_id: string
}

interface FeedbackPictureTable {
  site_id: SiteId
  id: string
  author_id: string
  feedback_id: string | null
  width: number
  height: number
  bytes: Buffer
  created_at: Date
}

interface IdempotentAnswerTable {
  site_id: SiteId
  client_id: string
  key: Buffer
  request: Buffer
  holder: string
  held_until: Date
  answer: unknown
  expires_at: Date
}

interface IdentityTable {
  site_id: SiteId
  kind: IdentityKind
  value: string
  user_id: UserId
  proved_at: Date
}

interface KnownBrowserTable {
  site_id: SiteId
  user_id: UserId
  cookie_hash: Buffer
  first_seen: Date
  last_used: Date
  trusted_until: Date | null
}

interface LoginConfirmTable {
  site_id: SiteId
  ticket_hash: Buffer
  user_id: UserId
  mobile: string
  browser_hash: Buffer
  tries: number
  expires_at: Date
  spent_at: Date | null
}

interface MachineReadTable {
  site_id: SiteId
  at: Date
  operator: string
  call: string
  count: number
}

interface MigrationTable {
  number: number
  name: string
  hash: string
  at: Date
}

interface NoticeLinkTable {
  site_id: SiteId
  hash: Buffer
  purpose: 'disown' | 'recovery'
  user_id: UserId
  subject: string
  expires_at: Date
  spent_at: Date | null
}

interface OidcConsentTable {
  site_id: SiteId
  user_id: UserId
  client_id: string
  scopes: string[]
  declined: string[]
  version: string
  given_at: Date
}

interface OidcDeviceLoginTable {
  site_id: SiteId
  user_id: UserId
  session_id: SessionId
  client_id: string
  sid: string
  grant_id: string
  offline: boolean
  created_at: Date
}

interface OidcItemTable {
  site_id: SiteId
  kind: string
  hash: Buffer
  grant_id: string | null
  user_id: UserId | null
  client_id: string | null
  payload: unknown
  expires_at: Date
  consumed_at: Date | null
}

interface OidcKeyTable {
  site_id: SiteId
  kid: string
  stage: 'next' | 'current' | 'previous'
  sealed: string
  created_at: Date
  staged_at: Date
}

interface OidcLoginTable {
  site_id: SiteId
  user_id: UserId
  session_id: SessionId
  client_id: string
  sid: string
  grant_id: string
  offline: boolean
  created_at: Date
  last_at: Date
}

interface OidcSaltTable {
  site_id: SiteId
  sealed: string
}

interface OperatorLogTable {
  site_id: SiteId
  at: Date
  id: string
  operator: string
  action: string
  target: string | null
  detail: unknown
}

interface PasskeyTable {
  site_id: SiteId
  user_id: UserId
  id: string
  rp_id: string
  credential_id: Buffer
  public_key: Buffer
  counter: string
  transports: string[]
  synced: boolean
  aaguid: string
  name: string
  created_at: Date
  last_used_at: Date | null
}

interface PasswordFormTable {
  site_id: SiteId
  form: string
  count: string
}

interface PermissionTable {
  site_id: SiteId
  user_id: UserId
  area: string
  action: string
  granted_at: Date | null
}

interface QuickReplyTable {
  site_id: SiteId
  id: string
  title: string
  text: string
}

interface ReceiverTable {
  site_id: SiteId
  receiver: string
  last_sent_at: Date | null
}

interface RecoveryTable {
  site_id: SiteId
  user_id: UserId
  id: string
  started_at: Date
  ready_at: Date
  expires_at: Date
  purpose: string
}

interface RecoveryCodeTable {
  site_id: SiteId
  user_id: UserId
  id: string
  sealed: string
  created_at: Date
  spent_at: Date | null
}

interface RecoveryTicketTable {
  site_id: SiteId
  ticket_hash: Buffer
  user_id: UserId
  browser_hash: Buffer
  tries: number
  proved_at: Date | null
  expires_at: Date
  change_id: string | null
}

interface SealedSignInTable {
  site_id: SiteId
  user_id: UserId
  at: Date
  id: string
  sealed: string
}

interface SecurityLogTable {
  site_id: SiteId
  at: Date
  id: string
  user_id: UserId | null
  event: string
  address: string | null
  detail: unknown
}

interface SendBudgetTable {
  site_id: SiteId
  budget: string
  sent: number
  ends_at: Date
}

interface SessionTable {
  site_id: SiteId
  user_id: UserId
  id: SessionId
  secret_hash: Buffer
  created_at: Date
  method: string
  browser: string
  device: string
  os: string
  address: string
  region: string | null
  browser_hash: Buffer | null
  two_factor_at: Date | null
  ended_at: Date | null
  end_reason: string | null
  former_hash: Buffer | null
  former_until: Date | null
  second_at: Date | null
  scan_hash: Buffer | null
  asked: boolean
  factor_at: Date | null
}

interface SessionAccessTable {
  site_id: SiteId
  user_id: UserId
  session_id: SessionId
  last_access: Date
}

interface SiteTable {
  id: SiteId
  origin: string
  status: 'active' | 'disabled'
  version: string
  created_at: Date
}

interface SiteConfigTable {
  site_id: SiteId
  version: number
  config: unknown
  saved_by: string
  saved_at: Date
  restored: number | null
}

interface SiteHostTable {
  host: string
  site_id: SiteId
}

interface SpentChallengeTable {
  site_id: SiteId
  hash: Buffer
  expires_at: Date
}

interface TotpTable {
  site_id: SiteId
  user_id: UserId
  sealed: string
  created_at: Date
  confirmed_at: Date | null
  last_step: string
  last_used_at: Date | null
}

interface TroubleTable {
  site_id: SiteId
  kind: string
  hour: Date
  count: number
  last_at: Date
  code: number | null
}

interface UsageDayTable {
  site_id: SiteId
  day: Date
  page_access: string
  authorize_access: string
  api_access: string
  authorized_users: string
  accessed_users: string
  code_sent: string
  code_verified: string
  code_signed_in: string
  scan_shown: string
  scan_scanned: string
  scan_approved: string
}

interface UsageFlushTable {
  process: string
  number: string
  at: Date
}

interface UsageHourTable {
  site_id: SiteId
  hour: Date
  page_access: string
  authorize_access: string
  api_access: string
  authorized_users: string
  accessed_users: string
  code_sent: string
  code_verified: string
  code_signed_in: string
  scan_shown: string
  scan_scanned: string
  scan_approved: string
}

interface UserAccessTable {
  site_id: SiteId
  user_id: UserId
  last_access: Date
}

interface UserBucketTable {
  site_id: SiteId
  listed_at: Date
  id: string
  count: number
}

interface UserExportTable {
  site_id: SiteId
  id: string
  operator_id: string
  wanted: unknown
  status: 'waiting' | 'running' | 'done' | 'failed'
  done: number
  parts: number
  total: number
  cursor: unknown
  created_at: Date
  expires_at: Date | null
}

interface UserExportPartTable {
  site_id: SiteId
  export_id: string
  number: number
  bytes: Buffer
}

interface UserIdentityTable {
  site_id: SiteId
  user_id: UserId
  kind: IdentityKind
  value: string
}

interface UserImportTable {
  site_id: SiteId
  id: string
  operator: string
  fingerprint: Buffer
  started_at: Date
  active_at: Date
  finished_at: Date | null
  bytes: string
  lines: string
  imported: string
  refused: string
  report_bytes: string
}

interface UsersTable {
  site_id: SiteId
  id: UserId
  listed_at: Date
  status: 'active' | 'disabled'
  nickname: string | null
  wechat_nickname: string | null
  wechat_open_id: string | null
  avatar_id: string | null
  preference: unknown
  mobile_prefix: string | null
  mobile: string | null
  email: string | null
  username: string | null
  wechat_avatar_id: string | null
  password_fresh_until: Date | null
  email_fresh_until: Date | null
  wechat_fresh_until: Date | null
  protected: boolean
}

interface WechatTicketTable {
  site_id: SiteId
  hash: Buffer
  purpose: string
  browser_hash: Buffer
  user_id: UserId | null
  session_id: SessionId | null
  detail: unknown
  expires_at: Date
}
