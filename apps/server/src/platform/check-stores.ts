import type { Client } from 'pg'
import type { Config } from './config/config.ts'
import { isElsewhere } from './config/unencrypted-stores.ts'
import type { Log } from './log.ts'
import { routeTo } from './postgres/find-primary.ts'
import { missingSteps, tooOld, withoutHll } from './postgres/migrate.ts'
import { connectRedis, isOpenToAll, redisReady, unfitRedis } from './redis/client.ts'

/** Long enough for a busy machine: a store that isn't asked may be unfit. */
const timeoutMs = 5_000

/** It answers with a refusal: waiting would be in vain. */
const refusals = ['28P01', '28000', '3D000']

/** Why the database can't be used, in a sentence that says what to do. Throws where it can't be reached. */
async function unfitDatabase({ databaseUrl }: Pick<Config, 'databaseUrl'>): Promise<string | undefined> {
  const { connectionString, Client: Kind } = routeTo(databaseUrl).connection
  const limits = { connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs }
  const client = new Kind({ connectionString, application_name: 'hufu', ...limits })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await tooOld(client)) ?? (await lacking(client))
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string }
    if (refusals.includes(code)) return `PostgreSQL refuses HUFU_DATABASE_URL: ${message}`
    throw error
  } finally {
    client.end().catch(() => {})
  }
}

const extension = "SELECT FROM pg_extension WHERE extname = 'hll'"
const available = "SELECT FROM pg_available_extensions WHERE name = 'hll'"

/** A version that finds steps of a later one keeps serving: the tables are made for both. */
async function lacking(client: Client): Promise<string | undefined> {
  const created = (await client.query(extension)).rowCount
  if (!created && !(await client.query(available)).rowCount) return `${withoutHll}, then run hufu migrate`
  const [step, ...more] = await missingSteps(client)
  if (step) {
    const others = more.length > 0 ? ` and ${more.length} more` : ''
    return `The database is behind this version, it lacks ${step}${others}: run hufu migrate first`
  }
  return created ? undefined : 'The database has lost its extension hll and what was kept in it: restore a backup'
}

type StoreConfig = Pick<Config, 'databaseUrl' | 'redisUrl' | 'redisCacheUrl' | 'redisWithoutPassword'>

/** A password that the product sends and others can omit protects nothing. */
async function openStore({ redisUrl, redisCacheUrl, redisWithoutPassword }: StoreConfig): Promise<string | undefined> {
  if (redisWithoutPassword) return undefined
  for (const [name, url] of Object.entries({ HUFU_REDIS_URL: redisUrl, HUFU_REDIS_CACHE_URL: redisCacheUrl })) {
    if (isElsewhere(url) && (await isOpenToAll(url, timeoutMs)))
      return `${name} leads to a Redis that answers without a password as well; set one for its user default, or turn that user off`
  }
  return undefined
}

const denial = /WRONGPASS|NOAUTH|invalid password/

/** The same of Redis. */
async function unfitStore(config: StoreConfig): Promise<string | undefined> {
  const client = connectRedis(config.redisUrl, { timeoutMs }, () => {})
  try {
    await redisReady(client)
    return (await unfitRedis(client)) ?? (await openStore(config))
  } catch (error) {
    const { message, lastNodeError } = error as Error & { lastNodeError?: Error }
    const [word] = denial.exec(`${message} ${lastNodeError?.message}`) ?? []
    if (word) return `Redis refuses the user or the password of HUFU_REDIS_URL (${word})`
    throw error
  } finally {
    client.disconnect()
  }
}

const askAgain = 5_000

/** Retried until it answers, while the process does what it can without. */
function askLater(ask: () => Promise<string | undefined>, refuse: (sentence: string) => void): void {
  setTimeout(() => {
    ask().then(
      (sentence) => sentence && refuse(sentence),
      () => askLater(ask, refuse),
    )
  }, askAgain).unref()
}

/**
 * Stores that would break guarantees later are refused with a sentence. One that is unreachable is waited for, and
 * checked when it is back.
 */
export async function checkStores(config: StoreConfig, log: Log, refuse: (sentence: string) => void): Promise<void> {
  async function check(name: string, ask: () => Promise<string | undefined>) {
    const sentence = await ask().catch((error) => {
      log.warn({ err: error }, `${name} could not be checked; trying again`)
      askLater(ask, refuse)
    })
    if (sentence) throw new Error(sentence)
  }
  await Promise.all([check('PostgreSQL', () => unfitDatabase(config)), check('Redis', () => unfitStore(config))])
}
