import { once } from 'node:events'
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis'
import { type LoadShedding, longestWait } from '../config/wait-limits.ts'
import { RedisConnector } from './connector.ts'

/** One Redis or a cluster: the same commands, and every key has a hash tag. */
export type RedisClient = Redis | Cluster

const redisOptions = {
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  retryStrategy: (times) => Math.min(50 * times, 1_000),
} satisfies RedisOptions

// Tuned against a killed primary: a waiting command goes through once the replica is promoted.
const clusterOptions = {
  enableOfflineQueue: false,
  slotsRefreshInterval: 1_000,
  clusterRetryStrategy: (times) => Math.min(50 * times, 200),
  retryDelayOnFailover: 50,
  retryDelayOnClusterDown: 50,
  maxRedirections: 100,
  redisOptions: { maxRetriesPerRequest: 0 },
} satisfies ClusterOptions

/** How long connecting may take. A TLS handshake takes several round trips. */
const connecting = { plain: 300, tls: 1_000 }

export interface RedisBehaviour extends Partial<LoadShedding> {
  /** How long a command may take, in milliseconds; without it the caller sets its own bound. */
  timeoutMs?: number
  /** How long a connection that owes answers may be silent before it is dropped with all its commands. */
  silence?: number
  /** Pipelines the commands of one turn of the event loop: a gain where many calls read at once. */
  gather?: boolean
}

export function connectRedis(
  url: string,
  { timeoutMs, silence, gather = false, loadShedding = true }: RedisBehaviour,
  onError: (error: Error) => void,
): RedisClient {
  const within = (ms: number) => longestWait({ loadShedding }, ms)
  const each = {
    Connector: RedisConnector,
    connectTimeout: within(url.startsWith('rediss') ? connecting.tls : connecting.plain),
    enableAutoPipelining: gather,
    ...(timeoutMs && { commandTimeout: within(timeoutMs) }),
    ...(silence && { socketTimeout: within(silence) }),
  }
  const client = /^rediss?\+cluster:/.test(url) ? connectCluster(url, each) : connectOne(url, each)
  client.on('error', onError)
  return client
}

interface OfEach {
  Connector: typeof RedisConnector
  connectTimeout: number
  enableAutoPipelining: boolean
  commandTimeout?: number
  socketTimeout?: number
}

const connectOne = (url: string, each: OfEach): Redis => new Redis(url, { ...redisOptions, ...each })

/** The nodes that an address names, with the account that it gives. */
function nodesOf(url: string): { tls: boolean; nodes: string[]; username: string; password: string } {
  const [, tls, hosts = ''] = /^redis(s?)(?:\+cluster)?:\/\/([^/?]+)/.exec(url) ?? []
  const nodes = hosts.split(',').map((node) => `redis://${node}`)
  const { username, password } = new URL(nodes[0] ?? '')
  return { tls: tls === 's', nodes, username, password }
}

/**
 * ioredis arms the timer of its next refresh when one ends, also after the client was closed: the process would never
 * end.
 */
class ClosableCluster extends Cluster {
  private closed = false

  override disconnect(reconnect = false): void {
    this.closed = !reconnect
    super.disconnect(reconnect)
  }

  override refreshSlotsCache(callback?: (error?: Error | null) => void): void {
    super.refreshSlotsCache(callback && ((error) => (this.closed ? undefined : callback(error))))
  }
}

/** `redis+cluster://user:password@a:1,b:2`: nodes that are discovered later use the same account, and TLS as well. */
function connectCluster(url: string, each: OfEach): Cluster {
  const { tls, nodes, username, password } = nodesOf(url)
  return new ClosableCluster(nodes, {
    ...clusterOptions,
    enableAutoPipelining: each.enableAutoPipelining,
    slotsRefreshTimeout: each.connectTimeout,
    // Certificates hold names, so names are not resolved.
    ...(tls && { dnsLookup: (name, found) => found(null, name) }),
    redisOptions: {
      ...clusterOptions.redisOptions,
      ...(tls && { tls: {} }),
      ...(username && { username: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
      ...each,
    },
  })
}

/**
 * Times out commands. Those of the same moment share a timer: one each would cost more than the command. After a pause
 * of the process timers run before sockets are read, so answers are read first.
 */
export function sharedDeadline(ms: number): () => Promise<never> {
  let current: Promise<never> | undefined
  return () => {
    if (current) return current
    const { promise, reject } = Promise.withResolvers<never>()
    promise.catch(() => {})
    setTimeout(() => setImmediate(reject, new Error('Command timed out')), ms).unref()
    setTimeout(() => {
      current = undefined
    }, ms / 4).unref()
    current = promise
    return promise
  }
}

/** Redis refused or never answered; the outcome of the command is unknown. */
export function isRedisUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return /Connection is closed|Stream isn't writeable|Command timed out|max retries per request|ECONNREFUSED|All nodes failed|CLUSTERDOWN|Cluster isn't ready|LOADING|OOM command|READONLY|MISCONF|NOREPLICAS|MASTERDOWN|EXECABORT/i.test(
    `${error.name} ${error.message}`,
  )
}

/** Waits a moment for the first connection. */
export async function redisReady(client: RedisClient, config: LoadShedding = { loadShedding: true }): Promise<void> {
  const signal = AbortSignal.timeout(longestWait(config, 2_000))
  if (client.status !== 'ready') await once(client, 'ready', { signal })
}

/** The first whose scripts may write after they have read the clock. */
const oldest = 5

/** Why a node's INFO rules it out, in a sentence. */
function unfitNode(info: string): string | undefined {
  const [, version = '', major] = /^redis_version:((\d+)\S*)/m.exec(info) ?? []
  if (major && Number(major) < oldest)
    return `HUFU_REDIS_URL leads to Redis ${version}; use version ${oldest} or a newer one`
  const [, policy] = /^maxmemory_policy:(\S+)/m.exec(info) ?? []
  if (policy === undefined) throw new Error("Redis doesn't report its maxmemory-policy; it must be noeviction")
  return policy === 'noeviction'
    ? undefined
    : `HUFU_REDIS_URL leads to a Redis with maxmemory-policy ${policy}; set it to noeviction there`
}

/**
 * A store that evicts would silently drop counters and one-time marks; INFO is answered also where CONFIG is forbidden.
 */
export async function unfitRedis(client: RedisClient): Promise<string | undefined> {
  const nodes = client instanceof Cluster ? client.nodes('master') : [client]
  const info = await Promise.all(nodes.map((node) => node.info()))
  return info.map(unfitNode).find((sentence) => sentence !== undefined)
}

/** Whether a node executes commands without authentication; false where it can't be reached. */
async function answersUnauthenticated(node: string, tls: boolean, timeout: number): Promise<boolean> {
  const { hostname, port } = new URL(node)
  const client = new Redis({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 6379),
    ...(tls && { tls: {} }),
    lazyConnect: true,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    connectTimeout: timeout,
    commandTimeout: timeout,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.ping()
    return true
  } catch {
    return false
  } finally {
    client.disconnect()
  }
}

/** Whether any node of an address executes commands without a password, even if the address has one. */
export async function isOpenToAll(url: string, timeout: number): Promise<boolean> {
  const { tls, nodes } = nodesOf(url)
  const answers = await Promise.all(nodes.map((node) => answersUnauthenticated(node, tls, timeout)))
  return answers.includes(true)
}
