import type { Pool } from 'pg'
import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import { createUser } from '../../apps/server/src/features/users/users.service.ts'
import type { Deps } from '../../apps/server/src/shared/deps.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { freePort } from '../../tools/stores/ports.ts'
import { cpuMsOf } from '../harness/cpu-time.ts'
import { type Figure, median } from '../harness/figures.ts'
import { formerRelease, lastReleased } from '../harness/former-release.ts'
import { layBenchGround } from './bench-environment.ts'
import { load, type Target } from './load.ts'
import { cookiesOf, post } from './post.ts'

const rounds = 7
const host = 'id.example.com'
const user = { username: 'bench_user', password: 'Qy#2026autumn', nickname: '林知夏', mobile: '13800138000' }

interface Version {
  pid: number
  target: Target
}

interface Cost {
  cpu: number
  commands: number
  transactions: number
}

async function commandsOf({ redis }: Pick<Deps, 'redis'>): Promise<number> {
  const text = await redis.call('INFO', 'stats')
  return Number(/total_commands_processed:(\d+)/.exec(String(text))?.[1])
}

/** PostgreSQL reports them up to a second late. */
async function transactionsOf(pool: Pool): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 1_200))
  const { rows } = await pool.query(
    'SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = current_database()',
  )
  return Number(rows[0].n)
}

/** What one call costs, in milliseconds of CPU, Redis commands and transactions. */
async function costOf(deps: Deps, { pid, target }: Version, seconds: number): Promise<Cost> {
  const before = {
    cpu: cpuMsOf(pid),
    commands: await commandsOf(deps),
    transactions: await transactionsOf(deps.pool),
  }
  const { callsPerSecond, errors } = await load(target, seconds)
  if (errors > 0) throw new Error(`${errors} calls failed`)
  const calls = callsPerSecond * seconds
  return {
    cpu: (cpuMsOf(pid) - before.cpu) / calls,
    commands: ((await commandsOf(deps)) - before.commands) / calls,
    transactions: ((await transactionsOf(deps.pool)) - before.transactions) / calls,
  }
}

async function signIn(url: string): Promise<Target> {
  const login = JSON.stringify({ account: user.username, password: user.password })
  const { headers } = await post(`${url}/api/login/password`, { host, 'sec-fetch-site': 'same-origin' }, login)
  const cookie = cookiesOf(headers)
  return { url: `${url}/api/user/info`, hosts: [host], headers: { cookie, 'sec-fetch-site': 'same-origin' } }
}

/** `/api/user/info` with a session, of this version and of the last release on the same stores, by turns. */
export default async function upgrade(seconds: number): Promise<Figure[]> {
  const commit = lastReleased()
  if (!commit) throw new Error('the history does not go back to the last release')
  const bench = await layBenchGround()
  const former = await formerRelease(commit, makeTemporaryFolder('former-log'))
  try {
    const environment = { ...(await bench.database('upgrade')), HUFU_LOG_LEVEL: 'info' }
    const deps = await bench.deps(environment)
    const site = await createSite(deps, { origin: `https://${host}`, config: {} }, 'bench')
    await createUser(deps, site, user, 'bench')
    const { url, running } = await bench.server(environment)
    const port = await freePort()
    const served = await former.serve(environment, port)
    bench.started.push(served)
    const ours = { pid: running.child.pid ?? 0, target: await signIn(url) }
    const theirs = { pid: served.pid, target: await signIn(`http://127.0.0.1:${port}`) }
    for (const version of [ours, theirs]) await load(version.target, 2)
    const costs: { ours: Cost; theirs: Cost }[] = []
    for (let round = 0; round < rounds; round++) {
      const first = round % 2 === 0 ? [ours, theirs] : [theirs, ours]
      const found = new Map<Version, Cost>()
      for (const version of first) found.set(version, await costOf(deps, version, seconds))
      costs.push({ ours: found.get(ours) as Cost, theirs: found.get(theirs) as Cost })
    }
    const each = (of: keyof Cost, version: 'ours' | 'theirs') => median(costs.map((round) => round[version][of]))
    const shown = (of: keyof Cost) =>
      `${each(of, 'ours').toFixed(4)} against ${each(of, 'theirs').toFixed(4)} of ${commit}`
    return [
      {
        name: 'CPU of a session call against the last release',
        value: median(costs.map((round) => round.ours.cpu / round.theirs.cpu)),
        limit: ['<=', 1.1],
        from: `${shown('cpu')} ms`,
      },
      {
        name: 'Redis commands of a session call beyond those of the last release',
        value: each('commands', 'ours') - each('commands', 'theirs'),
        limit: ['<=', 0.01],
        from: shown('commands'),
      },
      {
        name: 'transactions of a session call beyond those of the last release',
        value: each('transactions', 'ours') - each('transactions', 'theirs'),
        limit: ['<=', 0.01],
        from: shown('transactions'),
      },
    ]
  } finally {
    await bench.stop()
    former.remove()
  }
}
