import { openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { readConfig } from '../apps/server/src/core/config.ts'
import { connectDatabase } from '../apps/server/src/core/db.ts'
import { createSite } from '../apps/server/src/features/site/site.service.ts'
import { demoConfig } from '../tools/run/demo-site.ts'
import { type Environment, hufu, layGround, type Running, ready, run, runHufu } from '../tools/run/product.ts'
import { freePort } from '../tools/stores/ports.ts'
import { type Figure, median } from './figure.ts'
import { type Load, load, type Target } from './load.ts'

const rounds = 5

/** A server of the product over a database of its own that holds this many sites. */
async function startServer(
  ground: Environment,
  sites: number,
  output: number,
): Promise<{ running: Running; target: Target }> {
  const database = `bench_${sites}`
  const admin = new Client({ connectionString: ground.HUFU_DATABASE_URL })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${database}`)
  await admin.end()
  const port = await freePort()
  const address = new URL(ground.HUFU_DATABASE_URL ?? '')
  address.pathname = `/${database}`
  const environment = { ...ground, HUFU_DATABASE_URL: address.href, HUFU_PORT: String(port), HUFU_LOG_LEVEL: 'info' }
  await hufu(environment, ['migrate'])
  const hosts = Array.from({ length: sites }, (_, index) => `site${index}.example.com`)
  const config = readConfig(environment)
  const { db } = connectDatabase(config, () => {})
  for (const host of hosts) await createSite({ db, config }, { origin: `https://${host}`, config: demoConfig }, 'bench')
  await db.destroy()
  const running = runHufu('serve', environment, [], output)
  await ready(`http://127.0.0.1:${port}`, running)
  return { running, target: { url: `http://127.0.0.1:${port}/api/meta`, hosts } }
}

async function startBare(body: Buffer): Promise<{ running: Running; target: Target }> {
  const port = await freePort()
  const running = run(process.execPath, [join(import.meta.dirname, 'bare.ts')], {
    PORT: String(port),
    BODY: body.toString('base64'),
  })
  await sleep(500)
  return { running, target: { url: `http://127.0.0.1:${port}/`, hosts: ['bare.example.com'] } }
}

/**
 * `/api/meta` with logging to a file, shedding and usage counting as in production, against bare node:http that answers
 * the same bytes; and a process with 1,000 sites against one with a single site. Rounds are interleaved.
 */
export default async function meta(seconds: number): Promise<Figure[]> {
  const ground = await layGround()
  const started: { running: Running; target: Target }[] = []
  try {
    const log = openSync(join(ground.stores?.folder ?? '.', 'bench.log'), 'a')
    const one = await startServer(ground.environment, 1, log)
    started.push(one)
    const thousand = await startServer(ground.environment, 1000, log)
    started.push(thousand)
    const answer = await fetch(one.target.url, { method: 'POST', headers: { host: 'site0.example.com' } })
    const bare = await startBare(Buffer.from(await answer.arrayBuffer()))
    started.push(bare)

    const results: { bare: Load; one: Load; thousand: Load }[] = []
    for (const { target } of started) await load(target, 1)
    for (let round = 0; round < rounds; round++) {
      results.push({
        bare: await load(bare.target, seconds),
        one: await load(one.target, seconds),
        thousand: await load(thousand.target, seconds),
      })
    }
    const errors = results.reduce((sum, round) => sum + round.one.errors + round.thousand.errors, 0)
    return [
      {
        name: 'meta against bare node:http, calls/s',
        value: median(results.map((round) => round.one.callsPerSecond / round.bare.callsPerSecond)),
        limit: ['>=', 0.7],
        from: `${Math.round(median(results.map((round) => round.one.callsPerSecond)))}/s against ${Math.round(median(results.map((round) => round.bare.callsPerSecond)))}/s`,
      },
      {
        name: 'meta with 1,000 sites against one, median time',
        value: median(results.map((round) => round.thousand.medianMs / round.one.medianMs)),
        limit: ['<=', 1.3],
      },
      { name: 'failed calls', value: errors, limit: ['<=', 0] },
    ]
  } finally {
    for (const { running } of started) await running.stop()
    await ground.stop()
  }
}
