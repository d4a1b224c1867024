import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Deps } from './deps.ts'
import type { Gauge } from './metrics.ts'
import { passwordsWaiting } from './password-hash.ts'

type Needs = Pick<Deps, 'pool' | 'redis' | 'redisReads' | 'cache' | 'breaker'>

/** How late the event loop is, since it was last asked. */
function delayGauge(): Gauge {
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  const name = 'hufu_event_loop_delay_seconds'
  const help = 'How late the event loop did what was due, since this was last read.'
  function read() {
    const samples = [50, 99, 100].map((percent) => ({
      labels: { quantile: String(percent / 100) },
      // It counts the pause between two looks, which is twenty milliseconds when nothing is late.
      value: Math.max(0, delay.percentile(percent) / 1e9 - 0.02),
    }))
    delay.reset()
    return samples
  }
  return { name, help, read }
}

const one = (value: number) => [{ value }]

function processGauges(version: string): Gauge[] {
  const started = Date.now() / 1_000 - process.uptime()
  return [
    {
      name: 'hufu_build_info',
      help: 'Which version runs, on which Node.',
      read: () => [{ labels: { version, node: process.version }, value: 1 }],
    },
    { name: 'process_start_time_seconds', help: 'When the process began.', read: () => one(started) },
    {
      name: 'process_cpu_seconds_total',
      help: 'What it has worked.',
      kind: 'counter',
      read: () => one((process.cpuUsage().user + process.cpuUsage().system) / 1e6),
    },
    { name: 'process_resident_memory_bytes', help: 'What it holds.', read: () => one(process.memoryUsage.rss()) },
    delayGauge(),
  ]
}

/** What every process of the product can be asked. */
export function productGauges({ pool, breaker, ...stores }: Needs, version: string): Gauge[] {
  const { redis, redisReads, cache } = stores
  const clients = { redis, redisReads, cache }
  return [
    ...processGauges(version),
    {
      name: 'hufu_database_connections',
      help: 'Connections for calls or jobs: open, unused among them, and how many wait for one; most is the bound.',
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
      help: 'Whether a connection to Redis stands.',
      read: () =>
        Object.entries(clients).map(([client, { status }]) => ({
          labels: { client },
          value: Number(status === 'ready'),
        })),
    },
    {
      name: 'hufu_breakers_open',
      help: 'Places of a service outside that are failing and not asked.',
      read: () => [...breaker.open()].map(([service, value]) => ({ labels: { service }, value })),
    },
    {
      name: 'hufu_passwords_waiting',
      help: 'Calls that wait for a password to be hashed.',
      read: () => one(passwordsWaiting()),
    },
  ]
}
