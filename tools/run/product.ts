import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { missingPackages, type Stores, startStores } from '../stores/stores.ts'
import { boundToParent } from './bound-to-parent.ts'
import { artefact, buildIn, type Command } from './build.ts'
import { endSignals } from './run-to-end.ts'

const root = join(import.meta.dirname, '../..')
const web = join(root, 'apps/web')
export const webFolder = join(web, 'dist')
const vite = join(web, 'node_modules/vite/bin/vite.js')
/** What every command and every test of a run starts. */
const thisBuild = buildIn(artefact ?? root)

export type Environment = Record<string, string>

export interface Ground {
  /** What every process of the product needs to know. */
  environment: Environment
  stores: Stores | undefined
  stop(): Promise<void>
}

/** Stores of our own, or those that HUFU_DATABASE_URL and HUFU_REDIS_URL point at. */
export async function layGround(settings: Record<string, string> = {}): Promise<Ground> {
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
  const stores = await startStores({ settings })
  const environment = {
    HUFU_DATABASE_URL: `${stores.postgres.url}postgres`,
    HUFU_REDIS_URL: stores.redis.url,
    HUFU_KEYS: keys,
  }
  return { environment, stores, stop: stores.stop }
}

/** Runs one command of the product's own command line to its end and answers what it printed. */
export async function hufu(environment: Environment, args: string[], input = ''): Promise<string> {
  const command = thisBuild.command(args)
  const child = spawn(...boundToParent(command.program, command.args), {
    cwd: command.cwd,
    env: { ...command.env, ...environment },
    stdio: 'pipe',
  })
  child.stdin.end(input)
  const exited = child.exitCode === null && new Promise((resolve) => child.once('exit', resolve))
  const [printed, errors] = await Promise.all([text(child.stdout), text(child.stderr), exited])
  if (child.exitCode !== 0) throw new Error(`hufu ${args.join(' ')} failed: ${errors.trim()}`)
  process.stderr.write(errors)
  return printed.trim()
}

export interface Running {
  child: ChildProcess
  /** Asks to stop and waits until it has. */
  stop(): Promise<void>
}

/** Starts a program that runs until it is stopped; what it prints goes to standard error or to an open file. */
function start(
  { program, args, cwd, env }: Command,
  environment: Environment,
  output = 2,
  ifOrphaned: NodeJS.Signals = 'SIGKILL',
): Running {
  const bound = boundToParent(program, args, ifOrphaned)
  const child = spawn(...bound, { env: { ...env, ...environment }, cwd, stdio: ['ignore', output, 2] })
  async function stop() {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    // Like Ctrl+C in a terminal: there is no proxy in front that has to notice first.
    child.kill('SIGINT')
    await gone
  }
  return { child, stop }
}

/** The same for a program of ours that is no command of the product. */
export const run = (program: string, args: string[], environment: Environment, cwd = root): Running =>
  start({ program, args, cwd, env: process.env }, environment)

/** Makes the production build of the pages. */
export async function buildWeb(folder = webFolder): Promise<void> {
  const options = ['--logLevel', 'warn', '--outDir', folder, '--emptyOutDir']
  // As it is delivered, also where tests ask for it.
  const making = run(process.execPath, [vite, 'build', ...options], { NODE_ENV: 'production' }, web)
  const code = await new Promise((resolve) => making.child.once('exit', resolve))
  if (code !== 0) throw new Error('the pages could not be built')
}

/** The pages with reload, in front of an API that runs elsewhere. */
export const runVite = (port: number, api: string): Running =>
  run(process.execPath, [vite, '--port', String(port), '--strictPort', '--logLevel', 'warn'], { HUFU_API: api }, web)

export const runHufu = (
  command: 'serve' | 'work' | 'migrate',
  environment: Environment,
  flags: string[] = [],
  output = 2,
  build = thisBuild,
): Running =>
  // A watcher ends its child only if it is asked to.
  start(build.command([command], flags), environment, output, flags.includes('--watch') ? 'SIGINT' : 'SIGKILL')

/** Waits until the server says that it is ready, or until a page server has its page. */
export async function ready(address: string, running: Running, path = '/readyz'): Promise<void> {
  for (let waited = 0; waited < 60_000; waited += 50) {
    if (running.child.exitCode !== null) throw new Error('the server ended before it was ready')
    const answer = await fetch(address + path).catch(() => undefined)
    if (answer?.ok) return
    await sleep(50)
  }
  throw new Error('the server did not become ready')
}

/** Timeout for stopping, far above the usual time. */
const longestStop = 30_000
/** Both a terminal and a script runner may pass on the same signal. */
const sameSignal = 1_000

/** Stops in order and then ends the process; a second signal ends it at once. What still runs ends with it. */
export function stopOnSignal(stop: () => Promise<void>): void {
  let asked: number | undefined
  for (const signal of endSignals) {
    process.on(signal, () => {
      if (asked !== undefined && performance.now() - asked > sameSignal) process.exit(1)
      if (asked !== undefined) return
      asked = performance.now()
      setTimeout(() => process.exit(1), longestStop).unref()
      void stop().then(
        () => process.exit(0),
        () => process.exit(1),
      )
    })
  }
}
