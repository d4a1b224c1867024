import { passwordsWaiting } from '../platform/crypto/password-hash.ts'
import { type Collector, histogram } from '../platform/metrics/metrics.ts'
import type { Deps } from './deps.ts'

type Needs = Pick<Deps, 'pool' | 'redis' | 'redisReads' | 'cache' | 'breaker'>

const delay = histogram('hufu_event_loop_delay_seconds', 'Delay of the event loop, sampled every 50 milliseconds.')

const beat = 50

/** For as long as the process runs. */
function followDelay(): void {
  const times = delay.of()
  let due = performance.now() + beat
  setInterval(() => {
    const now = performance.now()
    times.observe(Math.max(0, now - due) / 1_000)
    due = now + beat
  }, beat).unref()
}

const one = (value: number) => [{ value }]

function processCollectors(version: string): Collector[] {
  followDelay()
  return [
    {
      name: 'hufu_build_info',
      help: 'Which version runs, on which Node.',
      read: () => [{ labels: { version, node: process.version }, value: 1 }],
    },
    { name: 'process_uptime_seconds', help: 'Time since the start.', read: () => one(process.uptime()) },
    {
      name: 'process_cpu_seconds_total',
      help: 'CPU time used.',
      kind: 'counter',
      read: () => one((process.cpuUsage().user + process.cpuUsage().system) / 1e6),
    },
    { name: 'process_resident_memory_bytes', help: 'Memory in use.', read: () => one(process.memoryUsage.rss()) },
  ]
}

/** Collectors of every process of the product. */
export function productCollectors({ pool, breaker, ...stores }: Needs, version: string): Collector[] {
  const { redis, redisReads, cache } = stores
  const clients = { redis, redisReads, cache }
  return [
    ...processCollectors(version),
    {
      name: 'hufu_database_connections',
      help: 'Database connections: open, idle among them, and callers waiting for one; most is the limit.',
      read: () =>
        Object.entries({
          open: pool.totalCount,
          unused: pool.idleCount,
          waiting: pool.waitingCount,
          most: pool.options.max,
        }).map(([state, value]) => ({ labels: { state }, value })),
    },
    {
      name: 'hufu_redis_ready',
      help: 'Whether Redis is connected.',
      read: () =>
        Object.entries(clients).map(([client, { status }]) => ({
          labels: { client },
          value: Number(status === 'ready'),
        })),
    },
    {
      name: 'hufu_breakers_open',
      help: 'Open circuit breakers, by service.',
      read: () => [...breaker.open()].map(([service, value]) => ({ labels: { service }, value })),
    },
    {
      name: 'hufu_passwords_waiting',
      help: 'Calls that wait for a password to be hashed.',
      read: () => one(passwordsWaiting()),
    },
  ]
}
