import { userInfo } from '@hufu/contract/profile'
import { meta } from '@hufu/contract/site'
import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import { createUser } from '../../apps/server/src/features/users/users.service.ts'
import type { Environment } from '../../tools/run/product.ts'
import { type Figure, median } from '../harness/figures.ts'
import { type BenchGround, layBenchGround } from './bench-environment.ts'
import { type Load, load, type Target } from './load.ts'
import { startOther } from './other.ts'
import { measureWindows } from './usage-events.ts'
import { measureKills } from './usage-kills.ts'
import { host, sessionOf } from './user-session.ts'

/** Many short ones, by turns: a neighbour on a shared machine disturbs some of them, not their median. */
const rounds = 12
const users = 1_000

/** Sessions of many users, so that there are users to count. */
async function gather(bench: BenchGround, environment: Environment): Promise<string[]> {
  const deps = await bench.deps(environment)
  const site = await createSite(deps, { origin: `https://${host}`, config: {} }, 'bench')
  const cookies: string[] = []
  for (let user = 0; user < users; user++) {
    const id = await createUser(deps, site, { username: `bench_${user}` }, 'bench')
    cookies.push((await sessionOf(deps, site, id)).cookie ?? '')
  }
  return cookies
}

async function compare(name: string, counting: Target, still: Target, seconds: number): Promise<Figure[]> {
  for (const target of [counting, still]) await load(target, 2)
  const results: { counting: Load; still: Load }[] = []
  for (let round = 0; round < rounds; round++) {
    // The first of a pair isn't always the same one.
    const first = await load(round % 2 === 0 ? counting : still, seconds)
    const second = await load(round % 2 === 0 ? still : counting, seconds)
    results.push(round % 2 === 0 ? { counting: first, still: second } : { counting: second, still: first })
  }
  const perSecond = (which: 'counting' | 'still') =>
    Math.round(median(results.map((each) => each[which].callsPerSecond)))
  return [
    {
      name: `${name} with usage counted against without, calls/s`,
      value: median(results.map((each) => each.counting.callsPerSecond / each.still.callsPerSecond)),
      limit: ['>=', 0.95],
      from: `${perSecond('counting')}/s against ${perSecond('still')}/s`,
    },
    {
      name: `failed calls of ${name}`,
      value: results.reduce((sum, each) => sum + each.counting.errors + each.still.errors, 0),
      limit: ['<=', 0],
    },
  ]
}

/** What counting costs: the product that counts against the same that doesn't. */
async function measureCost(bench: BenchGround, environment: Environment, seconds: number): Promise<Figure[]> {
  const cookies = await gather(bench, environment)
  const own = { ...environment, HUFU_LOG_LEVEL: 'warn' }
  const counting = await startOther(bench, 'usage-server.ts', { ...own, COUNT: '1' })
  const still = await startOther(bench, 'usage-server.ts', { ...own, COUNT: '0' })
  const info = (url: string): Target => ({
    url: url + userInfo.path,
    hosts: [host],
    headers: { 'sec-fetch-site': 'same-origin' },
    cookies,
  })
  const bare = (url: string): Target => ({ url: url + meta.path, hosts: [host] })
  return [
    ...(await compare(`info of ${users} users`, info(counting), info(still), seconds)),
    ...(await compare('meta', bare(counting), bare(still), seconds)),
  ]
}

/** `pnpm bench statistics 200000`: windows against raw events, what counting costs, and what a killed process loses. */
export default async function statistics(seconds: number, [events = '10000000']: string[] = []): Promise<Figure[]> {
  const bench = await layBenchGround()
  try {
    const summed = await bench.deps(await bench.database('usage_events'))
    const windows = await measureWindows(summed, Number(events))
    const environment = await bench.database('usage_cost')
    const cost = await measureCost(bench, environment, seconds)
    const killed = await bench.database('usage_kills')
    const deps = await bench.deps(killed)
    await createSite(deps, { origin: `https://${host}`, config: {} }, 'bench')
    return [...windows, ...cost, ...(await measureKills(bench, killed, deps))]
  } finally {
    await bench.stop()
  }
}
