import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { startDemo, stopAll } from '../tools/run/demo-product.ts'
import { buildWeb } from '../tools/run/product.ts'
import { type Figure, median } from './figure.ts'

const flags = '--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking'
const categories = { performance: 95, accessibility: 100, 'best-practices': 100 }

type Scores = Record<keyof typeof categories, number>

async function audit(url: string): Promise<Scores> {
  const { stdout } = await promisify(execFile)(
    'lighthouse',
    [
      url,
      '--quiet',
      '--output=json',
      `--only-categories=${Object.keys(categories).join(',')}`,
      `--chrome-flags=${flags}`,
    ],
    { env: { ...process.env, CHROME_PATH: '/usr/bin/chromium' }, maxBuffer: 64 * 1024 * 1024 },
  )
  const { categories: found } = JSON.parse(stdout) as { categories: Record<string, { score: number }> }
  return Object.fromEntries(
    Object.keys(categories).map((name) => [name, Math.round((found[name]?.score ?? 0) * 100)]),
  ) as Scores
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
    const runs: Scores[] = []
    for (let round = 0; round < 3; round++) runs.push(await auditAgain(`${web}/`))
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
