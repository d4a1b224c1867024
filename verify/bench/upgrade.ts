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
import { code, prepareNumbers } from './sign-in.ts'

const rounds = 7
const host = 'id.example.com'
const headers = { 'sec-fetch-site': 'same-origin' }
const user = { username: 'bench_user', password: 'Qy#2026autumn', nickname: '林知夏', mobile: '13800138000' }

interface Version {
  pid: number
  url: string
  /** Of a signed-in browser. */
  cookie: string
}

interface Cost {
  cpu: number
  commands: number
  queries: number
}

async function commandsOf({ redis }: Pick<Deps, 'redis'>): Promise<number> {
  const text = await redis.call('INFO', 'stats')
  return Number(/total_commands_processed:(\d+)/.exec(String(text))?.[1])
}

async function queriesOf(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    `SELECT sum(calls) AS n FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
     WHERE d.datname = current_database()`,
  )
  return Number(rows[0].n)
}

/** What one call costs, in milliseconds of CPU, Redis commands and statements. */
async function costOf(deps: Deps, pid: number, target: Target, seconds: number): Promise<Cost> {
  const before = { cpu: cpuMsOf(pid), commands: await commandsOf(deps), queries: await queriesOf(deps.pool) }
  const { callsPerSecond, errors } = await load(target, seconds)
  if (errors > 0) throw new Error(`${errors} calls failed`)
  const calls = callsPerSecond * seconds
  return {
    cpu: (cpuMsOf(pid) - before.cpu) / calls,
    commands: ((await commandsOf(deps)) - before.commands) / calls,
    queries: ((await queriesOf(deps.pool)) - before.queries) / calls,
  }
}

async function signIn(url: string): Promise<string> {
  const login = JSON.stringify({ account: user.username, password: user.password })
  return cookiesOf((await post(`${url}/api/login/password`, { host, ...headers }, login)).headers)
}

/** The calls that are compared, each with what one version is asked for in a round. */
const calls: Record<string, (version: Version, numbers: () => Promise<string[]>) => Promise<Target>> = {
  'a meta call': async ({ url }) => ({ url: `${url}/api/meta`, hosts: [host], headers }),
  'a session call': async ({ url, cookie }) => ({
    url: `${url}/api/user/info`,
    hosts: [host],
    headers: { cookie, ...headers },
  }),
  'a sign-in by code': async ({ url }, numbers) => ({
    url: `${url}/api/login/mobile`,
    hosts: [host],
    headers,
    bodies: (await numbers()).map((mobile) => JSON.stringify({ mobilePrefix: '86', mobile, code })),
  }),
}

/** Sites and users on the stores of both versions. */
async function fill(deps: Deps): Promise<(count: number) => Promise<string[]>> {
  const site = await createSite(deps, { origin: `https://${host}`, config: {} }, 'bench')
  await createUser(deps, site, user, 'bench')
  await deps.pool.query('CREATE EXTENSION pg_stat_statements')
  let from = 0
  return async (count) => {
    from += count
    return await prepareNumbers(deps, site, from - count, count)
  }
}

/** Each call bears a part of what the process does by itself. */
const share = 0.05
/** Two scripts count a try towards the site's limit of wrong codes, which the last release had not. */
const furtherCommands: Record<string, number> = { 'a sign-in by code': 7 }

function figuresOf(call: string, costs: { ours: Cost; theirs: Cost }[], commit: string): Figure[] {
  const each = (of: keyof Cost, version: 'ours' | 'theirs') => median(costs.map((round) => round[version][of]))
  const shown = (of: keyof Cost) =>
    `${each(of, 'ours').toFixed(4)} against ${each(of, 'theirs').toFixed(4)} of ${commit}`
  const beyond = (of: keyof Cost, name: string): Figure => ({
    name: `${name} of ${call} beyond those of the last release`,
    value: each(of, 'ours') - each(of, 'theirs'),
    limit: ['<=', (of === 'commands' && furtherCommands[call]) || share],
    from: shown(of),
  })
  return [
    {
      name: `CPU of ${call} against the last release`,
      value: median(costs.map((round) => round.ours.cpu / round.theirs.cpu)),
      limit: ['<=', 1.1],
      from: `${shown('cpu')} ms`,
    },
    beyond('commands', 'Redis commands'),
    beyond('queries', 'statements'),
  ]
}

/** This version and the last release on the same stores, by turns. */
export default async function upgrade(seconds: number): Promise<Figure[]> {
  const commit = lastReleased()
  if (!commit) throw new Error('the history does not go back to the last release')
  const bench = await layBenchGround({ shared_preload_libraries: 'pg_stat_statements' })
  const former = await formerRelease(commit, makeTemporaryFolder('former-log'))
  try {
    const own = { HUFU_LOG_LEVEL: 'info', HUFU_TRUSTED_PROXIES: '127.0.0.0/8' }
    const environment = { ...(await bench.database('upgrade')), ...own }
    const deps = await bench.deps(environment)
    const newNumbers = await fill(deps)
    const { url, running } = await bench.server(environment)
    const port = await freePort()
    const served = await former.serve(environment, port)
    bench.started.push(served)
    const theirUrl = `http://127.0.0.1:${port}`
    const ours: Version = { pid: running.child.pid ?? 0, url, cookie: await signIn(url) }
    const theirs: Version = { pid: served.pid, url: theirUrl, cookie: await signIn(theirUrl) }
    const cost = async (version: Version, call: keyof typeof calls, time: number) =>
      await costOf(
        deps,
        version.pid,
        await (calls[call] as (typeof calls)[string])(version, () => newNumbers(time * 3_000)),
        time,
      )
    const figures: Figure[] = []
    for (const call of Object.keys(calls)) {
      for (const version of [ours, theirs]) await cost(version, call, 2)
      const costs: { ours: Cost; theirs: Cost }[] = []
      for (let round = 0; round < rounds; round++) {
        const found = new Map<Version, Cost>()
        for (const version of round % 2 === 0 ? [ours, theirs] : [theirs, ours])
          found.set(version, await cost(version, call, seconds))
        costs.push({ ours: found.get(ours) as Cost, theirs: found.get(theirs) as Cost })
      }
      figures.push(...figuresOf(call, costs, commit))
    }
    return figures
  } finally {
    await bench.stop()
    former.remove()
  }
}
