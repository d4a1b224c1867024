import type { Pool } from 'pg'
import { type Breaker, createBreaker } from '../integrations/breaker.ts'
import { createMailer, type Mailer } from '../integrations/mail/mailer.ts'
import { type Clock, followClock } from '../platform/clock.ts'
import type { Config } from '../platform/config/config.ts'
import { networkList } from '../platform/config/network-list.ts'
import { createLog, type Log } from '../platform/log.ts'
import { connectDatabase, type DatabaseAccess } from '../platform/postgres/db.ts'
import { createRandomDelay, type RandomDelay } from '../platform/random-delay.ts'
import { connectRedis, type RedisClient, redisReady } from '../platform/redis/client.ts'
import { type Live, startLive } from '../platform/redis/live-events.ts'
import { type DeliveryFailures, startDeliveryFailures } from './notices/delivery-failures.ts'
import { followSites, type Sites } from './sites/sites.ts'
import { startUsage, type Usage } from './usage/usage.ts'
import { createWechatTokens, type WechatTokens } from './wechat-token/wechat-token.ts'

/** What the product is built on. Functions name the few of these they need. */
export interface Deps {
  config: Config
  log: Log
  clock: Clock
  db: DatabaseAccess['db']
  pool: Pool
  redis: RedisClient
  /** The same store, for reads of very many calls: commands are pipelined. */
  redisReads: RedisClient
  /** For data that may be lost and read again; short timeouts. */
  cache: RedisClient
  sites: Sites
  usage: Usage
  deliveryFailures: DeliveryFailures
  /** One circuit breaker for each outside service. */
  breaker: Breaker
  mailer: Mailer
  wechatTokens: WechatTokens
  /** For work that must not show in the time of an answer. */
  randomDelay: RandomDelay
  /** Wake-ups from every process. */
  live: Live
}

export async function createDeps(
  config: Config,
  log: Log = createLog(config),
  behind: 'calls' | 'work' = 'calls',
): Promise<Deps & { close(): Promise<void> }> {
  if (config.inTheClear.length > 0)
    log.warn({ variables: config.inTheClear }, 'stores on other machines are reached without TLS')
  const broken = (error: Error) => log.warn({ err: error }, 'a database connection broke')
  const { db, pool } = connectDatabase(config, broken, behind)
  // Background work neither waits behind calls nor takes a connection from them.
  const aside = connectDatabase({ ...config, databasePool: 2 }, broken)
  const { loadShedding } = config
  const onRedisError = onceInAWhile((error) => log.warn({ err: error }, 'Redis is unreachable'))
  const redis = connectRedis(config.redisUrl, { timeoutMs: 3_000, loadShedding }, onRedisError)
  const redisReads = connectRedis(config.redisUrl, { gather: true, silence: 1_000, loadShedding }, onRedisError)
  const cache = connectRedis(config.redisCacheUrl, { gather: true, loadShedding }, onRedisError)
  const connected = Promise.allSettled([redis, redisReads, cache].map((client) => redisReady(client, config)))
  const [sites, clock] = await Promise.all([followSites(aside.db, log), followClock(aside.pool, log)])
  await connected
  const usage = startUsage(aside.pool, clock, log)
  const deliveryFailures = startDeliveryFailures(aside.pool, log)
  const randomDelay = createRandomDelay(log)

  const breaker = createBreaker()
  const mailer = createMailer({ log, breaker, isMailNetwork: networkList('HUFU_MAIL_NETWORKS', config.mailNetworks) })
  const live = startLive(config, clock, log)

  async function close() {
    sites.close()
    clock.close()
    await randomDelay.flush()
    await usage.close().catch((error) => log.error({ err: error }, 'the last usage could not be written'))
    await deliveryFailures
      .close()
      .catch((error) => log.error({ err: error }, 'the last delivery failures could not be written'))
    redis.disconnect()
    redisReads.disconnect()
    cache.disconnect()
    live.close()
    mailer.close()
    await Promise.all([db.destroy(), aside.db.destroy()])
    log.flush()
  }
  return {
    config,
    log,
    clock,
    db,
    pool,
    redis,
    redisReads,
    cache,
    sites,
    usage,
    deliveryFailures,
    breaker,
    mailer,
    wechatTokens: createWechatTokens(),
    randomDelay,
    live,
    close,
  }
}

/** An outage causes many errors a second; one line in ten seconds is enough. */
function onceInAWhile(say: (error: Error) => void): (error: Error) => void {
  let last = Number.NEGATIVE_INFINITY
  return (error) => {
    if (performance.now() - last < 10_000) return
    last = performance.now()
    say(error)
  }
}
