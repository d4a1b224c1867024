import { closeSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inject } from 'vitest'
import { createDatabase } from '../../apps/server/test/test-app.ts'
import { type Environment, ready, runHufu } from '../../tools/run/product.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { freePort } from '../../tools/stores/ports.ts'
import { startRedis } from '../../tools/stores/redis.ts'
import { shedding } from '../harness/environment.ts'
import { type Harness, openHarness } from '../harness/harness.ts'
import { type Held, type Inspector, openInspector } from './inspector.ts'

export interface Watched {
  name: string
  url: string
  glance(): Promise<Held>
  held(): Promise<Held>
  stop(): Promise<void>
}

/** A process that prints the address of its inspector has opened it a moment later. */
async function inspectorOf(port: number, pid: number): Promise<Inspector> {
  for (let tried = 0; ; tried++) {
    const inspector = await openInspector(port, pid).catch(() => undefined)
    if (inspector) return inspector
    if (tried > 200) throw new Error('a process shows no inspector')
    await sleep(50)
  }
}

async function startWatched(name: string, command: 'serve' | 'work', environment: Environment): Promise<Watched> {
  const [port, inspected] = [await freePort(), await freePort()]
  const log = openSync(join(inject('logFolder'), `soak-${name}-${port}.log`), 'a')
  const flags = [`--inspect=127.0.0.1:${inspected}`, '--inspect-publish-uid=http']
  const running = runHufu(command, { ...environment, HUFU_PORT: String(port) }, flags, log)
  closeSync(log)
  const url = `http://127.0.0.1:${port}`
  if (command === 'serve') await ready(url, running)
  const inspector = await inspectorOf(inspected, running.child.pid ?? 0)
  async function stop() {
    inspector.close()
    await running.stop()
  }
  return { name, url, glance: inspector.glance, held: inspector.held, stop }
}

/** What the stores hold. */
export interface Stored {
  redisBytes: number
  redisKeys: number
  connections: number
  /** Files left in the temporary folder of the processes. */
  files: number
}

export interface WatchedProduct {
  t: Harness
  busy: Watched[]
  worker: Watched
  idle: Watched
  stored(): Promise<Stored>
  stop(): Promise<void>
}

/** Two processes for calls, a worker, and an idle process, on a database and a Redis of their own. */
export async function startWatchedProduct(): Promise<WatchedProduct> {
  const folder = makeTemporaryFolder('f15')
  const temporary = join(folder, 'tmp')
  mkdirSync(temporary)
  const redis = await startRedis(folder)
  const environment = {
    ...inject('environment'),
    ...shedding,
    HUFU_DATABASE_URL: await createDatabase(),
    HUFU_REDIS_URL: redis.url,
    TMPDIR: temporary,
  }
  const [one, two, idle, worker] = await Promise.all([
    startWatched('first', 'serve', environment),
    startWatched('second', 'serve', environment),
    startWatched('idle', 'serve', environment),
    startWatched('worker', 'work', environment),
  ])
  const t = await openHarness(
    environment,
    [one, two].map(({ url }) => url),
  )
  async function look(): Promise<Stored> {
    const [memory, keys] = [await t.deps.cache.info('memory'), await t.deps.cache.dbsize()]
    const { rows } = await t.deps.pool.query<{ n: number }>(
      'SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database()',
    )
    const redisBytes = Number(/used_memory:(\d+)/.exec(memory)?.[1])
    return { redisBytes, redisKeys: keys, connections: rows[0]?.n ?? 0, files: readdirSync(temporary).length }
  }
  /** A probe queues behind the load and may time out on a slow machine: then it is repeated. */
  async function stored(tries = 10): Promise<Stored> {
    try {
      return await look()
    } catch (error) {
      if (tries === 1) throw error
      await sleep(1_000)
      return await stored(tries - 1)
    }
  }
  async function stop() {
    await t.close()
    await Promise.all([one, two, idle, worker].map((process) => process.stop()))
    await redis.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  return { t, busy: [one, two], worker, idle, stored, stop }
}
