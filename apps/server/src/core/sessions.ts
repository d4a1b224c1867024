import type { Permission, Preference } from '@hufu/contract/profile'
import type { Db } from './db.ts'
import type { Deps } from './deps.ts'
import { sameBytes, sha256 } from './hash.ts'
import type { SessionId, SiteId, UserId } from './ids.ts'
import { tell } from './live.ts'
import { type Count, counter } from './metrics.ts'
import { sharedDeadline } from './redis.ts'
import type { SessionToken } from './session-cookie.ts'
import { readSession, readUser, touchAccess } from './sessions.store.ts'

/** What a call needs to know of a session; times in epoch milliseconds. */
export interface SessionState {
  id: SessionId
  secretHash: string
  /** The secret before the last check, while it still counts. */
  formerHash: string | null
  createdAt: number
  lastAccess: number
  /** Whether an identity check was completed in it within the last ten minutes. */
  twoFactor: boolean
  ended: boolean
  /** Milliseconds it still had when it was read, by the clock of the database. */
  left: number
  /** Milliseconds until any of this is different by itself; no copy is kept longer. */
  steady: number
}

/** What a call needs to know of a person, and all that their own centre shows. */
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
  lastAccess: number | null
  permission: Permission
  preference: Preference
  agreements: string | null
  /** When the account will be erased, and from when a lost number can be replaced. */
  closing: number | null
  recovery: number | null
  /** Milliseconds until the account is due to be erased; no copy is kept longer. */
  steady: number | null
}

/** Somebody who has proved who they are. */
export interface Caller {
  siteId: SiteId
  userId: UserId
  session: SessionState
  user: UserState
}

/** Who changes their account, and from which browser. */
export interface Changer {
  caller: Caller
  address: string
  browserHash: Buffer
}

type Needs = Pick<Deps, 'db' | 'cache' | 'clock' | 'log'>

const cacheSeconds = 30
/** Outlives any fill that began before the change, so that none can bring the old state back. */
const tombstoneSeconds = 60
const tombstone = '-'
const touchEvery = 10 * 60_000

/** How long the cache may keep a call waiting before PostgreSQL is asked. */
const deadline = sharedDeadline(80)
/** How long a change may wait for its tombstone: it is committed already. */
const burial = sharedDeadline(1_000)

const cacheReads = counter('hufu_cache_reads_total', 'Looks for a session and its person, by what the cache said.')
const [hits, misses, away] = ['hit', 'miss', 'away'].map((result) => cacheReads.of({ result })) as [Count, Count, Count]

function countRead(texts: (string | null)[] | undefined): void {
  if (!texts) away.value++
  else if (texts.every((text) => text && text !== tombstone)) hits.value++
  else misses.value++
}

const sessionKey = (siteId: SiteId, userId: UserId, id: SessionId) => `{${siteId}:${userId}}:s:${id}`
const userKey = (siteId: SiteId, userId: UserId) => `{${siteId}:${userId}}:u`

/** Finds who calls: by primary key, from the cache or from PostgreSQL. `removed` is a session that was ended from elsewhere. */
export async function findCaller(
  deps: Needs,
  siteId: SiteId,
  { userId, sessionId, secret }: SessionToken,
): Promise<Caller | 'removed' | undefined> {
  const ofSession = sessionKey(siteId, userId, sessionId)
  const ofUser = userKey(siteId, userId)
  // A cache that can't be asked is as good as a grave: PostgreSQL answers, and nothing is filled.
  const texts = await Promise.race([deps.cache.mget(ofSession, ofUser), deadline()]).catch(() => undefined)
  countRead(texts)
  const [sessionText, userText] = texts ?? [tombstone, tombstone]
  const session =
    parsed<SessionState>(ofSession, sessionText) ??
    (await fill(deps, ofSession, sessionText === tombstone, () => readSession(deps.db, siteId, userId, sessionId)))
  const user =
    parsed<UserState>(ofUser, userText) ??
    (await fill(deps, ofUser, userText === tombstone, () => readUser(deps.db, siteId, userId)))
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

const read = new Map<string, { text: string; state: unknown }>()

/** The same text is the same state: reading it once makes one object, by which derived values can be kept. */
function parsed<State>(key: string, text: string | null | undefined): State | undefined {
  if (!text || text === tombstone) return undefined
  const known = read.get(key)
  if (known?.text === text) return known.state as State
  if (read.size >= 20_000) read.clear()
  const state = JSON.parse(text) as State
  read.set(key, { text, state })
  return state
}

const filling = new Map<string, Promise<unknown>>()

/** One query per key at a time in a process; the cache takes the first answer and never replaces one. */
async function fill<State extends SessionState | UserState>(
  deps: Needs,
  key: string,
  buried: boolean,
  read: () => Promise<State | undefined>,
): Promise<State | undefined> {
  const going = filling.get(key) as Promise<State | undefined> | undefined
  if (going) return await going
  const work = read()
  filling.set(key, work)
  try {
    const state = await work
    const life = Math.floor(Math.min(cacheSeconds * 1000, state?.steady ?? Number.POSITIVE_INFINITY))
    if (state && !buried && life > 0) {
      void deps.cache.set(key, JSON.stringify(state), 'PX', life, 'NX').catch(() => {})
    }
    return state
  } finally {
    filling.delete(key)
  }
}

/** Tells every process that a session is not what it was; called after the commit. */
export async function burySession(
  deps: Pick<Deps, 'cache'>,
  siteId: SiteId,
  userId: UserId,
  ids: SessionId[],
): Promise<void> {
  await Promise.all(ids.map((id) => bury(deps, sessionKey(siteId, userId, id))))
  await tell(deps.cache, { site: siteId, user: userId })
}

export async function buryUser(deps: Pick<Deps, 'cache'>, siteId: SiteId, userId: UserId): Promise<void> {
  await bury(deps, userKey(siteId, userId))
  await tell(deps.cache, { site: siteId, user: userId })
}

/** Without Redis the cached copies run out by themselves within 30 s. */
async function bury(deps: Pick<Deps, 'cache'>, key: string): Promise<void> {
  await Promise.race([deps.cache.set(key, tombstone, 'EX', tombstoneSeconds), burial()]).catch(() => {})
}

const touched = new Map<string, number>()

/** Writes the last access at most once in ten minutes, after the answer. */
function touch(deps: Needs, siteId: SiteId, userId: UserId, session: SessionState): void {
  const now = deps.clock.now()
  if (now - session.lastAccess < touchEvery || now - (touched.get(session.id) ?? 0) < touchEvery) return
  if (touched.size > 100_000) touched.clear()
  touched.set(session.id, now)
  touchAccess(deps.db as Db, siteId, userId, session.id).catch((error) =>
    deps.log.warn({ err: error }, 'an access could not be noted'),
  )
}
