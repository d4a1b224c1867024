import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { boundToParent } from '../../tools/run/bound-to-parent.ts'
import { descendants } from '../../tools/run/descendants.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { freePorts } from '../../tools/stores/ports.ts'
import { asItsUser, postgresPrograms } from '../../tools/stores/postgres.ts'

/**
 * What the monitor waits for before it promotes, in milliseconds. Its defaults (20 s of silence, then 30 s in which the
 * former primary may end by itself) suit asynchronous standbys: with a synchronous one, a primary that was cut off can't
 * acknowledge anything anyway.
 */
const monitorSettings = {
  'pgautofailover.health_check_period': 500,
  'pgautofailover.health_check_timeout': 500,
  'pgautofailover.health_check_max_retries': 1,
  'pgautofailover.health_check_retry_delay': 200,
  'pgautofailover.node_considered_unhealthy_timeout': 2_000,
  'pgautofailover.primary_demote_timeout': 3_000,
  'pgautofailover.startup_grace_period': 1_000,
}

export interface Node {
  name: string
  port: number
  /** Kills the whole node at once: server, backends and keeper. */
  kill(): Promise<void>
  /** Suspends or resumes every process of it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void
  /** Comes back where it was killed, as the standby of the new primary. */
  start(): void
}

export interface FailoverCluster {
  /** All nodes, for a database that is named after it. */
  url(database: string): string
  nodes: Node[]
  /** The primary. */
  primary(): Promise<Node>
  /** Starts what was killed and waits until one node takes writes and all others follow it, synchronously. */
  whole(): Promise<void>
  stop(): Promise<void>
}

function signalAll(child: ChildProcess, signal: NodeJS.Signals): void {
  for (const pid of descendants(child.pid ?? 0)) {
    try {
      process.kill(pid, signal)
    } catch {
      // It ended meanwhile.
    }
  }
}

/** What every command of one cluster shares: its folder, its user and its programs. */
interface Place {
  folder: string
  log: number
  options: { uid?: number; gid?: number; cwd: string; env: NodeJS.ProcessEnv }
}

function makePlace(): Place {
  const folder = makeTemporaryFolder('failover')
  chmodSync(folder, 0o755)
  const user = asItsUser()
  const home = join(folder, 'home')
  mkdirSync(home, { mode: 0o700 })
  if (user.uid !== undefined && user.gid !== undefined) {
    chownSync(folder, user.uid, user.gid)
    chownSync(home, user.uid, user.gid)
  }
  const env = {
    PATH: `${postgresPrograms()}:/usr/bin:/bin`,
    LC_ALL: 'C.UTF-8',
    HOME: home,
    XDG_DATA_HOME: join(home, 'data'),
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_RUNTIME_DIR: home,
  }
  return { folder, log: openSync(join(folder, 'log'), 'a'), options: { ...user, cwd: '/', env } }
}

const command = ({ log, options }: Place, args: string[]) =>
  void execFileSync('pg_autoctl', args, { ...options, stdio: ['ignore', log, log] })

/** The keeper of a data folder, which runs the server in it. */
const keeper = ({ log, options }: Place, data: string): ChildProcess =>
  spawn(...boundToParent('pg_autoctl', ['run', '--pgdata', data], 'SIGQUIT'), {
    ...options,
    stdio: ['ignore', log, log],
  })

const isOver = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

async function ended(child: ChildProcess): Promise<void> {
  if (isOver(child)) return
  await new Promise((resolve) => child.once('exit', resolve))
}

const shared = (data: string) => ['--pgdata', data, '--auth', 'trust', '--no-ssl', '--hostname', '127.0.0.1']

function startMonitor(place: Place, port: number): ChildProcess {
  const data = join(place.folder, 'monitor')
  command(place, ['create', 'monitor', ...shared(data), '--pgport', String(port)])
  command(place, ['config', 'set', '--pgdata', data, 'postgresql.listen_addresses', '127.0.0.1'])
  const lines = Object.entries(monitorSettings).map(([name, value]) => `${name} = ${value}`)
  appendFileSync(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`)
  return keeper(place, data)
}

function startNode(place: Place, name: string, port: number, monitor: number): Node {
  const data = join(place.folder, name)
  const address = `postgres://autoctl_node@127.0.0.1:${monitor}/pg_auto_failover?sslmode=prefer`
  const create = ['create', 'postgres', ...shared(data), '--pgport', String(port), '--listen', '127.0.0.1']
  command(place, [...create, '--name', name, '--monitor', address, '--dbname', 'hufu'])
  command(place, ['config', 'set', '--pgdata', data, 'timeout.network_partition_timeout', '3'])
  let child = keeper(place, data)
  return {
    name,
    port,
    async kill() {
      signalAll(child, 'SIGKILL')
      await ended(child)
    },
    signal: (signal) => signalAll(child, signal),
    start() {
      if (isOver(child)) child = keeper(place, data)
    },
  }
}

interface State {
  port: number
  state: string
}

async function ask<Row extends object>(port: number, database: string, query: string): Promise<Row[]> {
  const client = new Client({ host: '127.0.0.1', port, user: 'postgres', database, connectionTimeoutMillis: 1_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query<Row>(query)).rows
  } catch {
    return []
  } finally {
    client.end().catch(() => {})
  }
}

const statesOn = (monitor: number) =>
  ask<State>(
    monitor,
    'pg_auto_failover',
    `SELECT nodeport AS port, CASE WHEN reportedstate = goalstate THEN reportedstate::text
       ELSE reportedstate || ' to ' || goalstate END AS state FROM pgautofailover.node ORDER BY nodeport`,
  )

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await holds()); waited += 100) {
    if (waited > 60_000) throw new Error(`the cluster took too long: ${what}`)
    await sleep(100)
  }
}

/**
 * A monitor and two nodes, of which one is a synchronous standby and is promoted when the primary fails. With three,
 * one of the two standbys must always have what is acknowledged.
 */
export async function startFailoverCluster(count: 2 | 3 = 2): Promise<FailoverCluster> {
  const place = makePlace()
  const started: ChildProcess[] = []
  const nodes: Node[] = []
  async function stop() {
    await Promise.all(nodes.map((node) => node.kill()))
    for (const child of started) signalAll(child, 'SIGKILL')
    await Promise.all(started.map(ended))
    rmSync(place.folder, { recursive: true, force: true })
  }
  try {
    const [monitor = 0, ...ports] = await freePorts(1 + count)
    started.push(startMonitor(place, monitor))
    await until('monitor', async () => (await ask(monitor, 'pg_auto_failover', 'SELECT 1')).length > 0)
    for (const [index, port] of ports.entries()) {
      nodes.push(startNode(place, `node${index + 1}`, port, monitor))
      await until('node', async () =>
        (await statesOn(monitor)).some((one) => one.port === port && !one.state.includes('init')),
      )
    }
    return { ...manage(monitor, nodes), stop }
  } catch (error) {
    const log = readFileSync(join(place.folder, 'log'), 'utf8').split('\n').slice(-30)
    await stop()
    throw new Error(`the cluster did not start:\n${log.join('\n')}`, { cause: error })
  }
}

function manage(monitor: number, nodes: Node[]): Omit<FailoverCluster, 'stop'> {
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')
  return {
    nodes,
    url: (database) => `postgres://postgres@${hosts}/${database}?target_session_attrs=read-write`,
    async primary() {
      for (const node of nodes) {
        const [answer] = await ask<{ closed: string }>(
          node.port,
          'postgres',
          "SELECT current_setting('transaction_read_only') AS closed",
        )
        if (answer?.closed === 'off') return node
      }
      throw new Error('no node takes writes')
    },
    async whole() {
      await until('primary with its secondary', async () => {
        // Again and again, as a service manager does: a keeper that finds things half done may give up.
        for (const node of nodes) node.start()
        const all = (await statesOn(monitor)).map(({ state }) => state)
        return all.includes('primary') && all.filter((state) => state === 'secondary').length === nodes.length - 1
      })
    },
  }
}
