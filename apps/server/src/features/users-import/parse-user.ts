import { createHash } from 'node:crypto'
import { cleanNickname, isUsername } from '@hufu/contract/account-rules'
import { email as emailField } from '@hufu/contract/fields'
import { isUuid, newUserId, type SiteId, type UserId } from '../../platform/ids.ts'
import { type Mobile, parseMobile } from '../users/login-names.ts'
import type {
  FieldName,
  GivenFields,
  GivenWechat,
  ImportedName,
  ImportedUser,
  Refusal,
  RefusalCode,
} from './imported-user.ts'
import { type ImportedPassword, recogniseHash } from './recognise-hash.ts'

export interface ParsingRules {
  siteId: SiteId
  /** Of the regions that the site serves. */
  prefixes: readonly string[]
  /** The WeChat app of the site, whose openid an account shows. */
  appId: string | undefined
  now: number
}

type Note = (field: FieldName | null, code: RefusalCode) => undefined

/** The paging of user lists begins and ends with these two. */
const reserved = /^(0{8}-0{4}-0{4}-0{4}-0{12}|f{8}-f{4}-f{4}-f{4}-f{12})$/

/** RFC 9562, version 5: the same id for the same user of the source, wherever it is computed. */
export function idFromSource(siteId: SiteId, sourceId: string): UserId {
  const name = Buffer.concat([Buffer.from(siteId.replaceAll('-', ''), 'hex'), Buffer.from(sourceId)])
  const hash = createHash('sha1').update(name).digest().subarray(0, 16)
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') as UserId
}

function readId({ id, sourceId }: GivenFields, { siteId }: ParsingRules, note: Note): UserId | undefined {
  if (id !== undefined && sourceId !== undefined) return note('sourceId', 'SOURCE_ID_INVALID')
  if (id !== undefined) {
    const typed = id.toLowerCase()
    return isUuid(typed) && !reserved.test(typed) ? (typed as UserId) : note('id', 'ID_INVALID')
  }
  if (sourceId === undefined) return undefined
  if (sourceId.length > 200 || /\p{Cc}/u.test(sourceId)) return note('sourceId', 'SOURCE_ID_INVALID')
  return idFromSource(siteId, sourceId)
}

const isoTime = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d(?::?\d\d)?)$/
const earliest = Date.UTC(1990, 0)
/** Clocks of other machines differ. */
const leeway = 5 * 60_000

/** ISO 8601 with an offset, or milliseconds since 1970. */
function readTime(given: GivenFields, field: FieldName, { now }: ParsingRules, note: Note): string | null {
  const text = given[field as keyof GivenFields] as string | undefined
  if (text === undefined) return null
  const [, day, clock, zone = ''] = isoTime.exec(text) ?? []
  const offset = /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
  const time = /^\d{9,14}$/.test(text) ? Number(text) : Date.parse(`${day}T${clock}${offset}`)
  if (Number.isNaN(time) || time < earliest || time > now + leeway) return note(field, 'TIME_INVALID') ?? null
  // The database's clock has microseconds, and an export gives them.
  const micros = time > now ? '' : (/\.\d{3}(\d{1,3})/.exec(clock ?? '')?.[1] ?? '')
  return new Date(Math.min(time, now)).toISOString().replace('Z', `${micros}Z`)
}

/** By the prefix that the row names, or by the one that the number begins with. */
function readMobile({ mobilePrefix, mobile }: GivenFields, { prefixes }: ParsingRules, note: Note): Mobile | undefined {
  if (mobile === undefined) return undefined
  const named = mobilePrefix?.trim().replace(/^\+/, '')
  if (named !== undefined && !prefixes.includes(named)) return note('mobilePrefix', 'MOBILE_REGION')
  const abroad = /^\s*(\+|00)/.test(mobile.normalize('NFKC'))
  const candidates = named !== undefined ? [named] : abroad ? [...new Set(prefixes)] : prefixes.slice(0, 1)
  for (const prefix of candidates) {
    const parsed = parseMobile(prefix, mobile)
    if (parsed) return parsed
  }
  return note('mobile', abroad && named === undefined ? 'MOBILE_REGION' : 'MOBILE_INVALID')
}

function readEmail({ email }: GivenFields, note: Note): string | undefined {
  if (email === undefined) return undefined
  const parsed = emailField.safeParse(email)
  return parsed.success ? parsed.data : note('email', 'EMAIL_INVALID')
}

const wechatId = /^[A-Za-z0-9_-]{1,64}$/

/** `wx0123:openid` or `wx0123:openid:unionid`, several with spaces between. */
const wechatsFrom = (cell: string): GivenWechat[] =>
  cell.split(' ').map((text) => {
    const [appId = '', openid = '', unionid, ...rest] = text.split(':')
    return rest.length > 0 ? { appId: '', openid: '' } : { appId, openid, unionid }
  })

function readWechats({ wechat, wechats }: GivenFields, note: Note): GivenWechat[] {
  const given = wechats ?? (wechat === undefined ? [] : wechatsFrom(wechat.trim()))
  const valid = given.every(({ appId, openid, unionid }) =>
    [appId, openid, ...(unionid === undefined ? [] : [unionid])].every((id) => wechatId.test(id)),
  )
  const apps = new Set(given.map(({ appId }) => appId))
  if (valid && apps.size === given.length && given.length <= 10) return given
  note('wechat', 'WECHAT_INVALID')
  return []
}

function readNickname({ nickname }: GivenFields, note: Note): string | null {
  if (nickname === undefined) return null
  return cleanNickname(nickname) ?? note('nickname', 'NICKNAME_INVALID') ?? null
}

/** As WeChat's users wrote it: shown where there is no nickname. */
function readWechatNickname({ wechatNickname }: GivenFields, note: Note): string | null {
  if (wechatNickname === undefined) return null
  if ([...wechatNickname].length <= 64 && !/[\p{Cc}\p{Cs}]/u.test(wechatNickname)) return wechatNickname
  return note('wechatNickname', 'NICKNAME_INVALID') ?? null
}

function readPassword(given: GivenFields, note: Note): ImportedPassword | undefined {
  const { passwordHash: hash, passwordAlgorithm: algorithm, passwordSalt: salt } = given
  if (hash === undefined) return undefined
  const recognised = recogniseHash({ hash, algorithm, salt })
  return typeof recognised === 'string' ? note('passwordHash', recognised) : recognised
}

const wechatNames = (wechats: GivenWechat[]): ImportedName[] =>
  wechats.flatMap(({ appId, openid, unionid }) => [
    ...(unionid === undefined ? [] : [{ kind: `wechat.unionid:${appId}` as const, value: unionid, provedAt: null }]),
    { kind: `wechat.openid:${appId}` as const, value: openid, provedAt: null },
  ])

/** The user of a row, by the rules of signing in; or everything that is wrong with it. */
export function parseUser(line: number, given: GivenFields, rules: ParsingRules): ImportedUser | Refusal[] {
  const refusals: Refusal[] = []
  const note: Note = (field, code) => void refusals.push({ line, field, code })
  const time = (field: FieldName) => readTime(given, field, rules, note)

  const id = readId(given, rules, note)
  const { status = 'active', username } = given
  if (status !== 'active' && status !== 'disabled') note('status', 'STATUS_INVALID')
  if (username !== undefined && !isUsername(username)) note('username', 'USERNAME_INVALID')
  const mobile = readMobile(given, rules, note)
  const email = readEmail(given, note)
  const wechats = readWechats(given, note)
  const [mobileTime, emailTime] = [time('mobileVerifiedAt'), time('emailVerifiedAt')]
  const names: ImportedName[] = [
    ...(mobile ? [{ kind: 'mobile' as const, value: mobile.value, provedAt: mobileTime }] : []),
    ...(email === undefined ? [] : [{ kind: 'email' as const, value: email, provedAt: emailTime }]),
    ...(username === undefined ? [] : [{ kind: 'username' as const, value: username.toLowerCase(), provedAt: null }]),
    ...wechatNames(wechats),
  ]
  const user: ImportedUser = {
    line,
    id: id ?? newUserId(),
    named: id !== undefined,
    status: status === 'disabled' ? 'disabled' : 'active',
    createdAt: time('createdAt'),
    lastAccessAt: time('lastAccessAt'),
    nickname: readNickname(given, note),
    wechatNickname: readWechatNickname(given, note),
    wechatOpenId: (wechats.find(({ appId }) => appId === rules.appId) ?? wechats[0])?.openid ?? null,
    mobilePrefix: mobile?.prefix ?? null,
    mobile: mobile?.number ?? null,
    email: email ?? null,
    username: username ?? null,
    names,
    password: readPassword(given, note),
  }
  if (refusals.length === 0 && names.length === 0) note(null, 'NO_LOGIN_NAME')
  return refusals.length > 0 ? refusals : user
}
