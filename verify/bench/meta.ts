import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSite } from '../../apps/server/src/features/site/site.service.ts'
import { demoConfig } from '../../tools/run/demo-site.ts'
import { run } from '../../tools/run/product.ts'
import { freePort } from '../../tools/stores/ports.ts'
import { type Figure, median } from '../harness/figures.ts'
import { type BenchGround, layBenchGround } from './bench-environment.ts'
import { type Load, load, type Target } from './load.ts'
import { post } from './post.ts'

/** Many short ones: a neighbour on a shared machine disturbs some of them, not their median. */
const rounds = 12

/** A server over a database of its own that holds this many sites. */
async function startServer(bench: BenchGround, sites: number): Promise<Target> {
  const environment = await bench.database(`meta_${sites}`)
  const deps = await bench.deps(environment)
  const hosts = Array.from({ length: sites }, (_, index) => `site${index}.example.com`)
  for (const host of hosts) await createSite(deps, { origin: `https://${host}`, config: demoConfig }, 'bench')
  const { url } = await bench.server(environment)
  return { url: `${url}/api/meta`, hosts }
}

async function startBare(bench: BenchGround, body: Buffer): Promise<Target> {
  const port = await freePort()
  const environment = { PORT: String(port), BODY: body.toString('base64') }
  bench.started.push(run(process.execPath, [join(import.meta.dirname, 'bare.ts')], environment))
  await sleep(500)
  return { url: `http://127.0.0.1:${port}/`, hosts: ['bare.example.com'] }
}

/**
 * `/api/meta` with logging to a file, shedding and usage counting as in production, against bare node:http that answers
 * the same bytes; and a process with 1,000 sites against one with a single site. Rounds are interleaved.
 */
export default async function meta(seconds: number): Promise<Figure[]> {
  const bench = await layBenchGround()
  try {
    const one = await startServer(bench, 1)
    const thousand = await startServer(bench, 1000)
    const { body } = await post(one.url, { host: 'site0.example.com' })
    const bare = await startBare(bench, body)
    for (const target of [one, thousand, bare]) await load(target, 1)
    const results: { bare: Load; one: Load; thousand: Load }[] = []
    for (let round = 0; round < rounds; round++) {
      results.push({
        bare: await load(bare, seconds),
        one: await load(one, seconds),
        thousand: await load(thousand, seconds),
      })
    }
    const perSecond = (name: 'bare' | 'one') => Math.round(median(results.map((round) => round[name].callsPerSecond)))
    return [
      {
        name: 'meta against bare node:http, calls/s',
        value: median(results.map((round) => round.one.callsPerSecond / round.bare.callsPerSecond)),
        limit: ['>=', 0.7],
        from: `${perSecond('one')}/s against ${perSecond('bare')}/s`,
      },
      {
        name: 'meta with 1,000 sites against one, median time',
        value: median(results.map((round) => round.thousand.medianMs / round.one.medianMs)),
        limit: ['<=', 1.3],
      },
      {
        name: 'failed calls',
        value: results.reduce((sum, round) => sum + round.one.errors + round.thousand.errors, 0),
        limit: ['<=', 0],
      },
    ]
  } finally {
    await bench.stop()
  }
}
