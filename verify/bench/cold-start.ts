import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { unpackArtefact } from '../../tools/release/unpack.ts'
import { boundToParent } from '../../tools/run/bound-to-parent.ts'
import type { Environment } from '../../tools/run/product.ts'
import { freePort } from '../../tools/stores/ports.ts'
import { type Figure, median } from '../harness/figures.ts'
import { layBenchGround } from './bench-environment.ts'

const rounds = 15
const lookEvery = 2
const longest = 30_000

const status = (port: number) =>
  new Promise<number>((resolve) => {
    const asked = get({ host: '127.0.0.1', port, path: '/readyz', agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    asked.on('error', () => resolve(0))
  })

/** As a service of the system is started. */
const own = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, NODE_ENV: 'production' }

/** From the moment it is started until it says that it is ready, in milliseconds. */
async function startTime(program: string, args: string[], environment: Environment): Promise<number> {
  const port = await freePort()
  const began = performance.now()
  const env = { ...own, ...environment, HUFU_PORT: String(port) }
  const child = spawn(...boundToParent(program, args), { cwd: '/', env, stdio: ['ignore', 'ignore', 2] })
  try {
    while ((await status(port)) !== 200) {
      if (child.exitCode !== null || performance.now() - began > longest) throw new Error('it was never ready')
      await sleep(lookEvery)
    }
    return performance.now() - began
  } finally {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
}

/** A small brand's server; with a thousand sites the first look at them takes a moment more. */
export default async function coldStart(): Promise<Figure[]> {
  const bench = await layBenchGround()
  const unpacked = await unpackArtefact()
  try {
    const environment = await bench.database('cold_start')
    const product = () => startTime(join(unpacked.home, 'bin/hufu'), ['serve'], environment)
    const bare = () => startTime(process.execPath, [join(import.meta.dirname, 'bare-fastify.mjs')], environment)
    const times: { product: number; bare: number }[] = []
    // The first round only fills the caches of the disk.
    for (let round = 0; round <= rounds; round++) times.push({ bare: await bare(), product: await product() })
    const measured = times.slice(1)
    const middle = (name: 'product' | 'bare') => Math.round(median(measured.map((time) => time[name])))
    return [
      {
        name: 'start until ready against bare Fastify with one query',
        value: median(measured.map((time) => time.product / time.bare)),
        limit: ['<=', 3],
        from: `${middle('product')} ms against ${middle('bare')} ms`,
      },
    ]
  } finally {
    unpacked.remove()
    await bench.stop()
  }
}
