import { execFileSync, spawn } from 'node:child_process'
import { chownSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { boundToParent } from '../run/bound-to-parent.ts'
import { freePort } from './ports.ts'

export interface Postgres {
  /** Connection string without a database name at its end: append one. */
  url: string
  port: number
  /** Stops at once, as a crash does, and leaves the data where it is. */
  kill(): Promise<void>
  /** Starts again on the same port and data. */
  start(): Promise<void>
  stop(): Promise<void>
}

const installed = '/usr/lib/postgresql'

/** Debian keeps the server's programs outside PATH, one folder a version. */
export function postgresPrograms(): string | undefined {
  if (!existsSync(installed)) return undefined
  const versions = readdirSync(installed).filter((version) => existsSync(join(installed, version, 'bin/postgres')))
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0]
  return newest && join(installed, newest, 'bin')
}

/** PostgreSQL refuses to run as root, so root lends the work to its own user. */
export const asItsUser = (): { uid?: number; gid?: number } => {
  if (userInfo().uid !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

const programFolder = (): string => {
  const programs = postgresPrograms()
  if (!programs) throw new Error('PostgreSQL is missing: apt-get install postgresql-15 postgresql-15-hll')
  return programs
}

const prepare = (program: string, args: string[]) =>
  void execFileSync(join(programFolder(), program), args, {
    ...asItsUser(),
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
  })

function makeFolder(data: string): string {
  const { uid, gid } = asItsUser()
  mkdirSync(data, { recursive: true, mode: 0o700 })
  if (uid !== undefined && gid !== undefined) chownSync(data, uid, gid)
  return data
}

/** A PostgreSQL of our own under a temporary folder, tuned for tests: real, but without waiting for the disk. */
export async function startPostgres(
  folder: string,
  settings: Record<string, string> = {},
  programs = programFolder(),
): Promise<Postgres> {
  const data = makeFolder(join(folder, 'postgres'))
  const texts = ['-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C.UTF-8']
  // Data that is there already is a restored server's.
  if (!existsSync(join(data, 'PG_VERSION'))) prepare('initdb', ['-D', data, ...texts, '--data-checksums', '--no-sync'])
  return await runPostgres(data, settings, programs)
}

/** One that follows another and answers what only reads, until it is promoted. */
export async function startStandby(folder: string, primary: Postgres): Promise<Postgres & { promote(): void }> {
  const data = makeFolder(join(folder, 'standby'))
  prepare('pg_basebackup', ['-D', data, '-d', `${primary.url}postgres`, '-R', '-c', 'fast', '--no-sync'])
  const standby = await runPostgres(data, {})
  return { ...standby, promote: () => prepare('pg_ctl', ['-D', data, '-w', 'promote']) }
}

async function runPostgres(
  data: string,
  settings: Record<string, string>,
  programs = programFolder(),
): Promise<Postgres> {
  const identity = asItsUser()
  const port = await freePort()
  const options: Record<string, string> = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    full_page_writes: 'off',
    max_connections: '300',
    shared_buffers: '256MB',
    // How it starts and ends, without the errors of queries.
    log_min_messages: 'log',
    ...settings,
  }
  const flags = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])

  const log = `${data}.log`
  let running: ReturnType<typeof spawn> | undefined
  async function start() {
    const file = openSync(log, 'a')
    const server = spawn(...boundToParent(join(programs, 'postgres'), ['-D', data, ...flags], 'SIGQUIT'), {
      ...identity,
      cwd: '/',
      stdio: ['ignore', 'ignore', file],
    })
    closeSync(file)
    running = server
    const ready = () => {
      try {
        execFileSync(join(programs, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)], {
          stdio: 'ignore',
        })
        return true
      } catch {
        return false
      }
    }
    for (let waited = 0; !ready(); waited += 50) {
      if (server.exitCode !== null || waited > 30_000)
        throw new Error(`PostgreSQL did not start on port ${port}:\n${readFileSync(log, 'utf8').slice(-2_000)}`)
      await sleep(50)
    }
  }
  async function end(signal: NodeJS.Signals) {
    const server = running
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    running = undefined
    const gone = new Promise((resolve) => server.once('exit', resolve))
    server.kill(signal)
    await gone
  }

  await start()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/`,
    port,
    start,
    kill: () => end('SIGQUIT'),
    stop: () => end('SIGINT'),
  }
}
