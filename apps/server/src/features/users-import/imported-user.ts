import type { IdentityKind, UserId } from '../../platform/ids.ts'
import type { ImportedPassword } from './recognise-hash.ts'

/** The columns of a CSV file and the fields of a line of JSON, in the order in which the export writes them. */
export const fieldNames = [
  'id',
  'sourceId',
  'status',
  'createdAt',
  'lastAccessAt',
  'nickname',
  'mobilePrefix',
  'mobile',
  'mobileVerifiedAt',
  'email',
  'emailVerifiedAt',
  'username',
  'wechat',
  'wechatNickname',
  'passwordHash',
  'passwordAlgorithm',
  'passwordSalt',
] as const
export type FieldName = (typeof fieldNames)[number]

/** As a file gives them: texts, nothing for null and for an empty cell. */
export type GivenFields = Partial<Record<FieldName, string>> & { wechats?: GivenWechat[] }

export interface GivenWechat {
  appId: string
  openid: string
  unionid?: string | undefined
}

export interface ImportedName {
  kind: IdentityKind
  value: string
  /** Null where the file names no time: never proved. */
  provedAt: string | null
}

export interface ImportedUser {
  line: number
  id: UserId
  /** The file named it, so another user may have it. */
  named: boolean
  status: 'active' | 'disabled'
  createdAt: string | null
  lastAccessAt: string | null
  nickname: string | null
  wechatNickname: string | null
  wechatOpenId: string | null
  mobilePrefix: string | null
  mobile: string | null
  email: string | null
  username: string | null
  names: ImportedName[]
  password: ImportedPassword | undefined
}

/** Why a row is refused. The sentences are in refusal-words.ts. */
export type RefusalCode =
  | 'LINE_TOO_LONG'
  | 'NOT_UTF8'
  | 'NOT_JSON'
  | 'CELLS_WRONG'
  | 'FIELD_UNKNOWN'
  | 'FIELD_TYPE'
  | 'ID_INVALID'
  | 'ID_TAKEN'
  | 'SOURCE_ID_INVALID'
  | 'STATUS_INVALID'
  | 'TIME_INVALID'
  | 'NICKNAME_INVALID'
  | 'MOBILE_INVALID'
  | 'MOBILE_REGION'
  | 'EMAIL_INVALID'
  | 'USERNAME_INVALID'
  | 'WECHAT_INVALID'
  | 'HASH_UNKNOWN'
  | 'HASH_COST'
  | 'NO_LOGIN_NAME'
  | 'NAME_DUPLICATE'
  | 'NAME_TAKEN'

export interface Refusal {
  line: number
  field: FieldName | null
  code: RefusalCode
  /** The earlier line with the same name or id. */
  first?: number
  /** The user of the site who has the name or id. */
  user?: string
}
