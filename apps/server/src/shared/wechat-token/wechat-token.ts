import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { type AccessToken, askAccessToken } from '../../integrations/wechat/access-token.ts'
import {
  unknownOutcome,
  type WechatApp,
  type WechatDeps,
  type WechatOutcome,
} from '../../integrations/wechat/wechat.ts'
import { tokenIsVoid } from '../../integrations/wechat/wechat-errors.ts'
import { sameBytes, sha256 } from '../../platform/crypto/hash.ts'
import { type Keys, seal, unseal } from '../../platform/crypto/secrets.ts'
import type { SiteId } from '../../platform/ids.ts'
import { isRedisUnavailable, type RedisClient } from '../../platform/redis/client.ts'
import { type DeliveryFailures, noteRefusal } from '../notices/delivery-failures.ts'
import * as store from './wechat-token.store.ts'

/**
 * WeChat replaces a token in its last 300 seconds and until then returns the same one. It reports whole seconds, so
 * asking a moment later than that surely gets the new one.
 */
const renewBelowMs = 298_000
/** Longer than a call to WeChat may take. */
const lockMs = 10_000
/** The backoff after WeChat has failed. */
const restMs = 2_000
/** How long a caller without a token waits for the process that asks. */
const waitMs = 6_000
const lookEveryMs = 50

export interface SharedToken extends AccessToken {
  /** The stored text; undefined for a copy of the process's own. */
  sealed?: string | undefined
}

type TokenOutcome = WechatOutcome<SharedToken>

interface Copy {
  value: string
  /** By the monotonic clock. */
  endsAt: number
}

/** What one process caches. */
export interface WechatTokens {
  /** For an outage of Redis: the last token seen of each app. */
  copies: Map<string, Copy>
  /** Requests in progress: one at a time for each app. */
  asking: Map<string, Promise<TokenOutcome>>
}

export const createWechatTokens = (): WechatTokens => ({ copies: new Map(), asking: new Map() })

export interface TokenDeps extends WechatDeps {
  config: WechatDeps['config'] & { keys: Keys }
  redis: RedisClient
  wechatTokens: WechatTokens
  deliveryFailures: Pick<DeliveryFailures, 'note'>
}

/** The app, and where its token is stored. */
interface Owner {
  siteId: SiteId
  app: WechatApp
  keys: store.TokenKeys
  /** The seal context of the token. */
  sealContext: string
}

const ownerOf = (siteId: SiteId, app: WechatApp): Owner => ({
  siteId,
  app,
  keys: store.tokenKeys(siteId, app.appId),
  sealContext: `${siteId}/wechat-token/${app.appId}`,
})

/** The token that all processes share. While it is valid no caller waits for a new one. */
export async function sharedToken(deps: TokenDeps, siteId: SiteId, app: WechatApp): Promise<TokenOutcome> {
  const owner = ownerOf(siteId, app)
  try {
    const { token, note } = await look(deps, owner)
    if (token && (token.lifeMs >= renewBelowMs || deps.wechatTokens.asking.has(owner.keys.token))) return done(token)
    if (!token && note) return note
    return await once(deps, owner, () => obtain(deps, owner))
  } catch (error) {
    if (!isRedisUnavailable(error)) throw error
    return ownToken(deps, owner)
  }
}

/** Makes a call with the token; retries once with a new one where WeChat has voided the first. */
export async function withToken<Data>(
  deps: TokenDeps,
  siteId: SiteId,
  app: WechatApp,
  call: (token: string) => Promise<WechatOutcome<Data>>,
): Promise<WechatOutcome<Data>> {
  const token = await sharedToken(deps, siteId, app)
  if (token.kind !== 'done') return token
  const outcome = await call(token.data.value)
  if (outcome.kind !== 'refused' || !tokenIsVoid(outcome.code)) return noteRefusal(deps, siteId, outcome)
  await drop(deps, ownerOf(siteId, app), token.data)
  const next = await sharedToken(deps, siteId, app)
  return next.kind === 'done' ? noteRefusal(deps, siteId, await call(next.data.value)) : next
}

const done = (data: SharedToken): TokenOutcome => ({ kind: 'done', data })

/** Concurrent callers of one process share one request. */
function once({ wechatTokens }: TokenDeps, { keys }: Owner, ask: () => Promise<TokenOutcome>): Promise<TokenOutcome> {
  const running = wechatTokens.asking.get(keys.token)
  if (running) return running
  const asking = ask().finally(() => wechatTokens.asking.delete(keys.token))
  wechatTokens.asking.set(keys.token, asking)
  return asking
}

/** One process asks WeChat; the others use the old token while it is valid, or wait for the new one. */
async function obtain(deps: TokenDeps, owner: Owner): Promise<TokenOutcome> {
  const until = performance.now() + waitMs
  while (performance.now() < until) {
    const { token, note } = await look(deps, owner)
    if (token && token.lifeMs >= renewBelowMs) return done(token)
    const lock = randomUUID()
    if (await store.takeLock(deps.redis, owner.keys, lock, lockMs)) return renew(deps, owner, lock)
    if (token) return done(token)
    if (note) return note
    await sleep(lookEveryMs * (1 + Math.random()))
  }
  return unknownOutcome('TOKEN_AWAITED')
}

const askWechat = async (deps: TokenDeps, { siteId, app }: Owner) =>
  noteRefusal(deps, siteId, await askAccessToken(deps, app))

async function renew(deps: TokenDeps, owner: Owner, lock: string): Promise<TokenOutcome> {
  // Read once more: another process may have renewed it just before the lock was free.
  const { token: old } = await look(deps, owner)
  if (old && old.lifeMs >= renewBelowMs) {
    await store.releaseLock(deps.redis, owner.keys, lock)
    return done(old)
  }
  const asked = await askWechat(deps, owner)
  if (asked.kind !== 'done') {
    await store.leaveNote(deps.redis, owner.keys, lock, JSON.stringify(asked), restMs)
    return old ? done(old) : asked
  }
  const { value, lifeMs } = asked.data
  const sealed = seal(deps.config.keys, owner.sealContext, value)
  copy(deps, owner, asked.data)
  // A token that is old already: don't ask again at once.
  const rest = lifeMs >= renewBelowMs ? 0 : restMs
  await store.storeToken(deps.redis, owner.keys, lock, { sealed, lifeMs, restMs: rest })
  return done({ ...asked.data, sealed })
}

interface Found {
  token?: SharedToken
  /** The outcome of the last failed request to WeChat. */
  note?: Exclude<TokenOutcome, { kind: 'done' }>
}

async function look(deps: TokenDeps, owner: Owner): Promise<Found> {
  const { sealed, lifeMs, lock } = await store.readShared(deps.redis, owner.keys)
  const value = sealed && opened(deps, owner, sealed)
  if (value && lifeMs > 0) {
    copy(deps, owner, { value, lifeMs })
    return { token: { value, lifeMs, sealed } }
  }
  const note = lock && noteIn(lock)
  return note ? { note } : {}
}

const noteSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('refused'), code: z.number().int(), message: z.string() }),
  z.object({ kind: z.literal('unknown'), reason: z.string() }),
])

/** Unsealed text in Redis can only refuse: a token never comes from it. */
function noteIn(lock: string): Found['note'] {
  try {
    return lock.startsWith('{') ? noteSchema.parse(JSON.parse(lock)) : undefined
  } catch {
    return undefined
  }
}

/** A text that no key can open counts as missing. */
function opened(deps: TokenDeps, { sealContext }: Owner, sealed: string): string | undefined {
  try {
    return unseal(deps.config.keys, sealContext, sealed)
  } catch {
    return undefined
  }
}

function copy({ wechatTokens }: TokenDeps, { keys }: Owner, { value, lifeMs }: AccessToken): void {
  wechatTokens.copies.set(keys.token, { value, endsAt: performance.now() + lifeMs })
}

/** Without Redis each process asks for itself; WeChat gives all of them the same token. */
async function ownToken(deps: TokenDeps, owner: Owner): Promise<TokenOutcome> {
  const { value = '', endsAt = 0 } = deps.wechatTokens.copies.get(owner.keys.token) ?? {}
  const lifeMs = endsAt - performance.now()
  if (lifeMs >= renewBelowMs) return done({ value, lifeMs })
  const asked = await once(deps, owner, async () => {
    const outcome = await askWechat(deps, owner)
    if (outcome.kind === 'done') copy(deps, owner, outcome.data)
    return outcome
  })
  return asked.kind !== 'done' && lifeMs > 0 ? done({ value, lifeMs }) : asked
}

async function drop(deps: TokenDeps, owner: Owner, token: SharedToken): Promise<void> {
  const { copies } = deps.wechatTokens
  const copy = copies.get(owner.keys.token)
  if (copy && sameBytes(sha256(copy.value), sha256(token.value))) copies.delete(owner.keys.token)
  try {
    if (token.sealed) await store.dropShared(deps.redis, owner.keys, token.sealed)
  } catch (error) {
    if (!isRedisUnavailable(error)) throw error
  }
}
