import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { boundToParent } from '../../tools/run/bound-to-parent.ts'
import { startDemo, stopAll } from '../../tools/run/demo-product.ts'
import { quietRounds } from '../../tools/run/processors.ts'
import { buildWeb } from '../../tools/run/product.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { type Figure, median } from '../harness/figures.ts'

const flags = '--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking'
const categories = { performance: 95, accessibility: 100, 'best-practices': 100 }

/**
 * Lighthouse simulates a slow phone by a CPU slowdown factor of four. That fits the machine its authors had in
 * mind: the middle of what they call a fast desktop, by the index of speed that it takes with every recording. The factor is
 * scaled to the index of the recording, as their notes on throttling ask, so that the phone is the same one on every machine.
 */
const intended = { index: 1_750, slowdown: 4 }

type Scores = Record<keyof typeof categories, number>

async function run(url: string, slowdown: number, ...more: string[]): Promise<string> {
  const args = [
    url,
    '--quiet',
    '--output=json',
    `--only-categories=${Object.keys(categories).join(',')}`,
    `--chrome-flags=${flags}`,
    `--throttling.cpuSlowdownMultiplier=${slowdown}`,
    ...more,
  ]
  const { stdout } = await promisify(execFile)(
    // On this signal it ends its browser, too.
    ...boundToParent('lighthouse', args, 'SIGINT'),
    { env: { ...process.env, CHROME_PATH: '/usr/bin/chromium' }, maxBuffer: 64 * 1024 * 1024 },
  )
  return stdout
}

/** The factor that makes the phone out of this machine; it is written into the recording, which Lighthouse wants to agree with. */
async function calibrate(recording: string): Promise<number> {
  const file = join(recording, 'artifacts.json')
  const found = JSON.parse(await readFile(file, 'utf8'))
  const slowdown = (intended.slowdown * found.BenchmarkIndex) / intended.index
  found.settings.throttling.cpuSlowdownMultiplier = slowdown
  await writeFile(file, JSON.stringify(found))
  return slowdown
}

async function audit(url: string): Promise<Scores> {
  const recording = makeTemporaryFolder('lighthouse')
  try {
    await run(url, intended.slowdown, `--gather-mode=${recording}`)
    const slowdown = await calibrate(recording)
    const report = await run(url, slowdown, `--audit-mode=${recording}`)
    const { categories: found } = JSON.parse(report) as { categories: Record<string, { score: number }> }
    const scores = Object.keys(categories).map((name) => [name, Math.round((found[name]?.score ?? 0) * 100)])
    process.stdout.write(`a phone ${slowdown.toFixed(1)} times as slow as this machine\n`)
    return Object.fromEntries(scores) as Scores
  } finally {
    await rm(recording, { recursive: true })
  }
}

/** Its recording sometimes misses the start of a page and gives no scores at all; that is not a score of the page. */
async function auditAgain(url: string, times = 3): Promise<Scores> {
  try {
    return await audit(url)
  } catch (error) {
    if (times <= 1) throw error
    console.warn(`Lighthouse gave no scores: ${/\((\w+)\)/.exec(String(error))?.[1] ?? error}`)
    return auditAgain(url, times - 1)
  }
}

/** Lighthouse with its own slow phone and network, median of three. */
export default async function lighthouse(): Promise<Figure[]> {
  await buildWeb()
  const {
    addresses: { web },
    parts,
  } = await startDemo([])
  try {
    const runs = await quietRounds(3, () => auditAgain(`${web}/`))
    return (Object.keys(categories) as (keyof Scores)[]).map((name) => ({
      name: `Lighthouse mobile / ${name}`,
      value: median(runs.map((scores) => scores[name])),
      limit: ['>=', categories[name]],
      from: runs.map((scores) => scores[name]).join(', '),
    }))
  } finally {
    await stopAll(parts)
  }
}
