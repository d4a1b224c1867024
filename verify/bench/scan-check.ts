import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import type { Environment } from '../../tools/run/product.ts'
import { type Figure, median } from '../harness/figures.ts'
import { type BenchGround, layBenchGround } from './bench-environment.ts'
import { type Load, load, type Target } from './load.ts'
import { startOther } from './other.ts'
import { cookiesOf, post } from './post.ts'

const rounds = 5
const host = 'id.example.com'
const own = { host, 'sec-fetch-site': 'same-origin' }

/** The product with one browser waiting for a scan. */
async function startOurs(bench: BenchGround, environment: Environment): Promise<Target & { body: string }> {
  const deps = await bench.deps(environment)
  const site = await createSite(deps, { origin: `https://${host}`, config: {} }, 'bench')
  const { url } = await bench.server(environment)
  const { headers, body } = await post(`${url}/api/login/request/create`, own)
  const { id, time, ip } = (JSON.parse(body.toString()) as { data: Record<string, string> }).data
  // The measurement takes longer than the lifetime of a request.
  await deps.redis.expire(`{scan:${site}:${id}}`, 3_600)
  const cookie = cookiesOf(headers)
  return {
    url: `${url}/api/login/request/check`,
    hosts: [host],
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ id, time, ip }),
  }
}

/** The poll that waiting pages send twice a second, against the baseline of one Redis read. */
export default async function scanCheck(seconds: number): Promise<Figure[]> {
  const bench = await layBenchGround()
  try {
    const environment = await bench.database('scan_check')
    const ours = await startOurs(bench, environment)
    const { body, status } = await post(ours.url, { ...own, ...ours.headers }, ours.body)
    if (status !== 200) throw new Error(`check answered ${status}: ${body}`)
    const deps = await bench.deps(environment)
    await deps.redis.set('{bench}:a', 'x'.repeat(200))
    const bareEnvironment = { ...environment, BODY: body.toString('base64'), KEYS: '{bench}:a' }
    const bare: Target = { url: await startOther(bench, 'bare-redis.ts', bareEnvironment), hosts: ['bare.example.com'] }
    for (const target of [ours, bare]) await load(target, 1)
    const results: { ours: Load; bare: Load }[] = []
    for (let round = 0; round < rounds; round++) {
      results.push({ bare: await load(bare, seconds), ours: await load(ours, seconds) })
    }
    const perSecond = (name: 'ours' | 'bare') => Math.round(median(results.map((round) => round[name].callsPerSecond)))
    return [
      {
        name: 'check of a waiting request against bare node:http + GET, calls/s',
        value: median(
          results.map(({ ours: { callsPerSecond }, bare: floor }) => callsPerSecond / floor.callsPerSecond),
        ),
        limit: ['>=', 0.6],
        from: `${perSecond('ours')}/s against ${perSecond('bare')}/s`,
      },
      {
        name: 'failed calls',
        value: results.reduce((sum, round) => sum + round.ours.errors + round.bare.errors, 0),
        limit: ['<=', 0],
      },
    ]
  } finally {
    await bench.stop()
  }
}
