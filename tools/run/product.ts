import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { missingPackages, type Stores, startStores } from '../stores/stores.ts'

const root = join(import.meta.dirname, '../..')
const cli = join(root, 'apps/server/src/cli.ts')
export const webFolder = join(root, 'apps/web/dist')

export type Environment = Record<string, string>

export interface Ground {
  /** What every process of the product needs to know. */
  environment: Environment
  stores: Stores | undefined
  stop(): Promise<void>
}

/** Stores of our own, or those that HUFU_DATABASE_URL and HUFU_REDIS_URL point at. */
export async function layGround(): Promise<Ground> {
  const { HUFU_DATABASE_URL, HUFU_REDIS_URL, HUFU_KEYS } = process.env
  const keys = HUFU_KEYS ?? `1:${randomBytes(32).toString('base64')}`
  if (HUFU_DATABASE_URL && HUFU_REDIS_URL) {
    return {
      environment: { HUFU_DATABASE_URL, HUFU_REDIS_URL, HUFU_KEYS: keys },
      stores: undefined,
      stop: async () => {},
    }
  }
  const missing = missingPackages()
  if (missing.length > 0) {
    console.error(`These system packages are missing: apt-get install -y --no-install-recommends ${missing.join(' ')}`)
    process.exit(1)
  }
  const stores = await startStores()
  const environment = {
    HUFU_DATABASE_URL: `${stores.postgres.url}postgres`,
    HUFU_REDIS_URL: stores.redis.url,
    HUFU_KEYS: keys,
  }
  return { environment, stores, stop: stores.stop }
}

/** Runs one command of the product's own command line to its end and answers what it printed. */
export async function hufu(environment: Environment, args: string[], input = ''): Promise<string> {
  const child = spawn(process.execPath, [cli, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.end(input)
  let printed = ''
  for await (const chunk of child.stdout) printed += chunk
  if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve))
  if (child.exitCode !== 0) throw new Error(`hufu ${args.join(' ')} failed`)
  return printed.trim()
}

export interface Running {
  child: ChildProcess
  /** Asks to stop and waits until it has. */
  stop(): Promise<void>
}

/** Starts a program that runs until it is stopped; its own output goes to standard error. */
export function run(program: string, args: string[], environment: Environment, cwd = root): Running {
  const child = spawn(program, args, { env: { ...process.env, ...environment }, cwd, stdio: ['ignore', 2, 2] })
  async function stop() {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await gone
  }
  return { child, stop }
}

export const runHufu = (command: 'serve' | 'work', environment: Environment, flags: string[] = []): Running =>
  run(process.execPath, [...flags, cli, command], environment)

/** Waits until the server says that it is ready. */
export async function ready(address: string, running: Running): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 50) {
    if (running.child.exitCode !== null) throw new Error('the server ended before it was ready')
    const answer = await fetch(`${address}/readyz`).catch(() => undefined)
    if (answer?.ok) return
    await sleep(50)
  }
  throw new Error('the server did not become ready')
}

/** Stops things in the reverse order of their start, once, when the process is asked to end. */
export function stopOnSignal(parts: { stop(): Promise<void> }[]): () => Promise<void> {
  let stopping: Promise<void> | undefined
  const stopAll = () => {
    stopping ??= (async () => {
      for (const part of parts.toReversed()) await part.stop()
    })()
    return stopping
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => void stopAll().then(() => process.exit(0)))
  }
  return stopAll
}
