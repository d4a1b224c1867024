import type { Permission, Preference } from '@hufu/contract/profile'
import type { RecoveryPurpose } from '@hufu/contract/recovery'
import { sameBytes, sha256 } from '../../platform/crypto/hash.ts'
import type { Keys } from '../../platform/crypto/secrets.ts'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import { type Count, counter } from '../../platform/metrics/metrics.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { signEntry, verifyEntry } from '../../platform/redis/cache-entry.ts'
import { sharedDeadline } from '../../platform/redis/client.ts'
import { type ChangedPart, publish } from '../../platform/redis/live-events.ts'
import type { Deps } from '../deps.ts'
import type { SessionToken } from './session-cookie.ts'
import { readSession, readUser, touchAccess } from './sessions.store.ts'

/** What a call needs to know of a session; times in epoch milliseconds. */
export interface SessionState {
  id: SessionId
  secretHash: string
  /** The secret before the last step-up, while it still works. */
  formerHash: string | null
  createdAt: number
  lastAccess: number
  /** Whether a step-up was completed in it within the last ten minutes. */
  twoFactor: boolean
  /** When a second factor was last proved in it. */
  factorAt: number | null
  ended: boolean
  /** Milliseconds until it expires, when it was read, by the clock of the database. */
  left: number
  /** Milliseconds until any of this changes by itself; no copy is cached longer. */
  maxCacheMs: number
}

/** What a call needs to know of a user, and all that the account pages show. */
export interface UserState {
  id: UserId
  status: 'active' | 'disabled'
  avatar: boolean
  avatarTime: number | null
  nickname: string | null
  wechatNickname: string | null
  wechatOpenId: string | null
  mobilePrefix: string | null
  mobile: string | null
  username: string | null
  email: string | null
  password: boolean
  /** Whether the account has a second factor: it is opened and changed by one alone. */
  protected: boolean
  lastAccess: number | null
  permission: Permission
  preference: Preference
  agreements: string | null
  /** When the account will be erased, and from when what was lost can be replaced or removed. */
  closing: number | null
  recovery: number | null
  recoveryPurpose: RecoveryPurpose | null
  /** Milliseconds until the account is due to be erased; no copy is cached longer. */
  maxCacheMs: number | null
}

/** A user with a valid session. */
export interface Caller {
  siteId: SiteId
  userId: UserId
  session: SessionState
  user: UserState
}

/** How long a step-up counts, in the cached state; the database compares for itself. */
const stepUpMs = 10 * 60_000

/** Whether a step-up is in force, as far as the cache knows: of a protected account by a second factor alone. */
export const hasSteppedUp = ({ session, user }: Pick<Caller, 'session' | 'user'>, now: number): boolean =>
  session.twoFactor && (!user.protected || (session.factorAt !== null && now - session.factorAt < stepUpMs))

/** Who changes the account, and from which browser. */
export interface Changer {
  caller: Caller
  address: string
  browserHash: Buffer
}

type Needs = Pick<Deps, 'db' | 'cache' | 'clock' | 'config' | 'live' | 'log'>

const cacheSeconds = 30
/** Longer than any cache fill that began before the change, so that none can restore the old state. */
const tombstoneSeconds = 60
const tombstone = '-'
const touchEvery = 10 * 60_000

/** How far the clocks of two processes may be apart: each follows the database's. */
const clockSkew = 500
/** No clock is that far off: an entry so long expired was replayed. */
const surelyReplayed = 60_000

/** How long a call waits for the cache before it asks PostgreSQL. */
const deadline = sharedDeadline(80)
/** How long a change may wait for its tombstone: it is committed already. */
const tombstoneDeadline = sharedDeadline(1_000)

const cacheReads = counter('hufu_cache_reads_total', 'Cache reads of a session and its user, by result.')
const reads = (result: string): Count => cacheReads.of({ result })
const [hits, misses, forgeries, away] = [reads('hit'), reads('miss'), reads('forged'), reads('away')]

const sessionKey = (siteId: SiteId, userId: UserId, id: SessionId) => `{${siteId}:${userId}}:s2:${id}`
const userKey = (siteId: SiteId, userId: UserId) => `{${siteId}:${userId}}:u2`
/** The key names that version 0.1.0 reads; to be dropped with the version after 0.2. */
const formerSessionKey = (siteId: SiteId, userId: UserId, id: SessionId) => `{${siteId}:${userId}}:s:${id}`
const formerUserKey = (siteId: SiteId, userId: UserId) => `{${siteId}:${userId}}:u`

/**
 * Finds the caller by primary key, from the cache or from PostgreSQL. `removed` is a session that was ended from
 * elsewhere.
 */
export async function findCaller(
  deps: Needs,
  siteId: SiteId,
  { userId, sessionId, secret }: SessionToken,
): Promise<Caller | 'removed' | undefined> {
  const ofSession = sessionKey(siteId, userId, sessionId)
  const ofUser = userKey(siteId, userId)
  // Cache unreachable: treat as a cache miss; don't refill.
  const texts = await Promise.race([deps.cache.mget(ofSession, ofUser), deadline()]).catch(() => undefined)
  const [sessionText, userText] = texts ?? [tombstone, tombstone]
  const changed = deps.live.changedAt(siteId, userId)
  const cachedSession = cached<SessionState>(deps, ofSession, sessionText, changed?.session)
  const cachedUser = cached<UserState>(deps, ofUser, userText, changed?.user)
  if (!texts) away.value++
  else countRead(cachedSession, cachedUser)
  const session =
    trusted(cachedSession) ??
    (await fill(deps, ofSession, sessionText === tombstone, () => readSession(deps.db, siteId, userId, sessionId)))
  const user =
    trusted(cachedUser) ?? (await fill(deps, ofUser, userText === tombstone, () => readUser(deps.db, siteId, userId)))
  if (!session || !user || !proves(session, secret)) return undefined
  if (session.ended || user.status !== 'active') return 'removed'
  if (session.left <= 0) return undefined
  touch(deps, siteId, userId, session)
  return { siteId, userId, session, user }
}

function proves({ secretHash, formerHash }: SessionState, secret: string): boolean {
  const hash = sha256(secret)
  const matches = (stored: string) => sameBytes(Buffer.from(stored, 'base64'), hash)
  return matches(secretHash) || (formerHash !== null && matches(formerHash))
}

type Cached<State> = State | 'forged' | undefined

const trusted = <State>(found: Cached<State>): State | undefined => (found === 'forged' ? undefined : found)

function countRead(...found: Cached<unknown>[]): void {
  if (found.includes('forged')) forgeries.value++
  else if (found.includes(undefined)) misses.value++
  else hits.value++
}

/** What is signed: a state, when it was queried and until when it is valid, by the clock that all processes share. */
interface Entry<State> {
  from: number
  until: number
  state: State
}

/** A valid entry of this key: signed, not expired, and not older than a published change. */
function cached<State>(
  { clock, config }: Pick<Deps, 'clock' | 'config'>,
  key: string,
  text: string | null | undefined,
  changedAt: number | undefined,
): Cached<State> {
  if (!text || text === tombstone) return undefined
  const entry = verified<State>(config.keys, key, text)
  if (!entry || entry === 'forged') return entry
  const late = clock.now() - entry.until
  if (late > clockSkew) return late > surelyReplayed ? 'forged' : undefined
  return changedAt === undefined || entry.from > changedAt + clockSkew ? entry.state : undefined
}

const read = new Map<string, { keys: Keys; text: string; entry: Entry<unknown> }>()

/**
 * The same text is the same state: it is verified and parsed once, which makes one object by which derived values can
 * be cached. Failures are not cached.
 */
function verified<State>(keys: Keys, key: string, text: string): Cached<Entry<State>> {
  const known = read.get(key)
  if (known?.text === text && known.keys === keys) return known.entry as Entry<State>
  const body = verifyEntry(keys, key, text)
  if (body === undefined || body === 'forged') return body
  if (read.size >= 20_000) read.clear()
  const entry = JSON.parse(body) as Entry<State>
  read.set(key, { keys, text, entry })
  return entry
}

const filling = new Map<string, Promise<unknown>>()

/** One query per key at a time in a process; the cache takes the first answer and never replaces one. */
async function fill<State extends SessionState | UserState>(
  deps: Needs,
  key: string,
  tombstoned: boolean,
  read: () => Promise<State | undefined>,
): Promise<State | undefined> {
  const going = filling.get(key) as Promise<State | undefined> | undefined
  if (going) return await going
  const from = deps.clock.now()
  const work = read()
  filling.set(key, work)
  try {
    const state = await work
    if (state && !tombstoned) keep(deps, key, from, state)
    return state
  } finally {
    filling.delete(key)
  }
}

/** Counted from before the query, so that no copy outlives the state. */
function keep(deps: Needs, key: string, from: number, state: SessionState | UserState): void {
  const until = from + Math.floor(Math.min(cacheSeconds * 1000, state.maxCacheMs ?? Number.POSITIVE_INFINITY))
  const life = until - deps.clock.now()
  if (life <= 0) return
  const text = signEntry(deps.config.keys, key, JSON.stringify({ from, until, state }))
  void deps.cache.set(key, text, 'PX', life, 'NX').catch(() => {})
}

/** Invalidates sessions in every process; called after the commit. */
export async function invalidateSessions(
  deps: Pick<Deps, 'cache'>,
  siteId: SiteId,
  userId: UserId,
  ids: SessionId[],
): Promise<void> {
  const keys = ids.flatMap((id) => [sessionKey(siteId, userId, id), formerSessionKey(siteId, userId, id)])
  await invalidate(deps, siteId, userId, 'session', keys)
}

export async function invalidateUser(deps: Pick<Deps, 'cache'>, siteId: SiteId, userId: UserId): Promise<void> {
  await invalidate(deps, siteId, userId, 'user', [userKey(siteId, userId), formerUserKey(siteId, userId)])
}

/** Without Redis the cached copies expire by themselves within 30 s. */
async function invalidate(
  { cache }: Pick<Deps, 'cache'>,
  siteId: SiteId,
  userId: UserId,
  part: ChangedPart,
  keys: string[],
): Promise<void> {
  const one = (key: string) =>
    Promise.race([cache.set(key, tombstone, 'EX', tombstoneSeconds), tombstoneDeadline()]).catch(() => {})
  await Promise.all(keys.map(one))
  await publish(cache, { site: siteId, user: userId, part })
}

const touched = new Map<string, number>()

/** Writes the last access at most once in ten minutes, after the answer. */
function touch(deps: Needs, siteId: SiteId, userId: UserId, session: SessionState): void {
  const now = deps.clock.now()
  if (now - session.lastAccess < touchEvery || now - (touched.get(session.id) ?? 0) < touchEvery) return
  if (touched.size > 100_000) touched.clear()
  touched.set(session.id, now)
  touchAccess(deps.db as Db, siteId, userId, session.id).catch((error) =>
    deps.log.warn({ err: error }, 'the last access could not be written'),
  )
}
