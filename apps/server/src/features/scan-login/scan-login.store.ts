import { scanSeconds, scanStatus } from '@hufu/contract/scan-login-rules'
import { sql } from 'kysely'
import type { SessionId, SiteId, UserId } from '../../platform/ids.ts'
import type { Db, Row } from '../../platform/postgres/db.ts'
import type { RedisClient } from '../../platform/redis/client.ts'
import { accountStatus } from '../../shared/users/account-status.ts'

/** A request, by all fields that a caller must know. */
export interface ScanRequest {
  id: string
  time: number
  ip: string
}

/** Site and id make the key, so a request of another site doesn't exist. */
const keyOf = (siteId: SiteId, id: string) => `{scan:${siteId}:${id}}`

/** Milliseconds by the clock of Redis, which also expires requests. */
export async function redisTime(redis: RedisClient): Promise<number> {
  const [seconds, microseconds] = await redis.time()
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000)
}

/** Atomic, so that none is left without an expiry. */
const create = `redis.call('HSET', KEYS[1], 'time', ARGV[2], 'ip', ARGV[3], 'proof', ARGV[4], 'agent', ARGV[5], 'made', ARGV[6],
  'status', '${scanStatus.waiting}', 'scanner', '')
redis.call('EXPIRE', KEYS[1], ARGV[1])`

export interface NewRequest extends ScanRequest {
  /** The hash of the waiting browser's secret. */
  secretHash: Buffer
  userAgent: string
  /** The mark that the product created it, under a key. */
  made: string
}

export async function insertRequest(
  redis: RedisClient,
  siteId: SiteId,
  { id, time, ip, secretHash, userAgent, made }: NewRequest,
): Promise<void> {
  await redis.eval(create, 1, keyOf(siteId, id), scanSeconds, time, ip, secretHash.toString('base64'), userAgent, made)
}

/** For the waiting browser: secret hash, status and scanner, or nothing. */
export const readRequest = (redis: RedisClient, siteId: SiteId, id: string): Promise<(string | null)[]> =>
  redis.hmget(keyOf(siteId, id), 'proof', 'status', 'scanner')

/** One atomic step decides between two users, and between approving and rejecting. */
const advance = `local time, ip, status, scanner, agent, proof, made =
  unpack(redis.call('HMGET', KEYS[1], 'time', 'ip', 'status', 'scanner', 'agent', 'proof', 'made'))
local approver, wanted, session, moved = ARGV[3], ARGV[4], ARGV[5], 0
if time ~= ARGV[1] or ip ~= ARGV[2] then return {'unknown'} end
if scanner ~= '' and scanner ~= approver then return {'taken'} end
if wanted ~= status then
  if status == '${scanStatus.waiting}' and wanted ~= '${scanStatus.scanned}' then return {'unknown'} end
  if status == '${scanStatus.approved}' or status == '${scanStatus.rejected}' then return {'done'} end
  redis.call('HSET', KEYS[1], 'status', wanted, 'scanner', approver, 'session', session, 'approval', ARGV[6])
  moved = 1
end
return {'stands', moved, agent, proof, made}`

/** Its state and, where it is as wished, whether this step advanced it and what the record says of the browser. */
export type Advanced = ['stands', 0 | 1, ...(string | null)[]] | ['unknown' | 'taken' | 'done']

export interface Step {
  userId: UserId
  sessionId: SessionId
  status: number
  /** The mark of an approval; empty for the other steps. */
  approval: string
}

/** Advances a request, once; idempotent for the same user. */
export async function advanceRequest(
  redis: RedisClient,
  siteId: SiteId,
  { id, time, ip }: ScanRequest,
  { userId, sessionId, status, approval }: Step,
): Promise<Advanced> {
  const values = [time, ip, userId, status, sessionId, approval]
  return (await redis.eval(advance, 1, keyOf(siteId, id), ...values)) as Advanced
}

export interface Decided {
  /** The session in which it was decided. */
  session: SessionId
  approval: string
  userAgent: string
  made: string
}

/** How it was decided, by the record; undefined where it is incomplete. */
export async function readDecided(redis: RedisClient, siteId: SiteId, id: string): Promise<Decided | undefined> {
  const fields = await redis.hmget(keyOf(siteId, id), 'session', 'approval', 'agent', 'made')
  const [session, approval, userAgent, made] = fields
  if (!session || !approval || userAgent == null || !made) return undefined
  return { session: session as SessionId, approval, userAgent, made }
}

/** A live session, locked until the transaction ends: when a second factor was proved in it. */
export async function holdApproving(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  id: SessionId,
): Promise<{ factorAt: Date | null } | undefined> {
  const { rows } = await sql<{ factorAt: Date | null }>`SELECT factor_at AS "factorAt" FROM session
    WHERE site_id = ${siteId} AND user_id = ${userId} AND id = ${id} AND ended_at IS NULL FOR SHARE`.execute(db)
  return rows[0]
}

/** Disabling the account waits until this transaction ends, and the other way round. */
export async function holdUser(db: Db, siteId: SiteId, userId: UserId): Promise<Row<'users', 'status'> | undefined> {
  const { rows } = await sql<Row<'users', 'status'>>`SELECT ${accountStatus} AS status FROM users u
    WHERE site_id = ${siteId} AND id = ${userId} FOR UPDATE`.execute(db)
  return rows[0]
}

export interface ScanSession {
  id: SessionId
  /** Whether it was begun with this very secret a moment ago and is unchanged. */
  repeatable: boolean
}

export async function findScanSession(
  db: Db,
  siteId: SiteId,
  userId: UserId,
  { scanHash, secretHash, repeatSeconds }: { scanHash: Buffer; secretHash: Buffer; repeatSeconds: number },
): Promise<ScanSession | undefined> {
  const { rows } = await sql<ScanSession>`
    SELECT id, ended_at IS NULL AND secret_hash = ${secretHash}
      AND created_at > clock_timestamp() - make_interval(secs => ${repeatSeconds}) AS repeatable
    FROM session WHERE site_id = ${siteId} AND user_id = ${userId} AND scan_hash = ${scanHash}`.execute(db)
  return rows[0]
}
