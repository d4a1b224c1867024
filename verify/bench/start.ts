import { readFileSync } from 'node:fs'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { freePort } from '../../tools/stores/ports.ts'
import { cpuMsOf } from '../harness/cpu-time.ts'
import { type Figure, median } from '../harness/figures.ts'
import { formerRelease, lastReleased } from '../harness/former-release.ts'
import { type Release, thisRelease } from '../harness/releases.ts'
import { layBenchGround } from './bench-environment.ts'

const rounds = 9

/** What a process has cost when it says that it is ready. */
interface Start {
  /** Milliseconds; unlike the time on the clock it doesn't grow while the machine is busy. */
  cpu: number
  /** MB. */
  rss: number
}

async function startOf(release: Release, environment: Record<string, string>): Promise<Start> {
  const served = await release.serve(environment, await freePort())
  try {
    const [, rss] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${served.pid}/status`, 'utf8')) ?? []
    return { cpu: cpuMsOf(served.pid), rss: Number(rss) / 1024 }
  } finally {
    await served.stop()
  }
}

function figureOf(what: string, unit: string, of: keyof Start, starts: Record<'ours' | 'theirs', Start>[]): Figure {
  const middle = (whose: 'ours' | 'theirs') => median(starts.map((start) => start[whose][of])).toFixed(0)
  return {
    name: `${what} when a server without clients is ready, against the last release`,
    value: median(starts.map(({ ours, theirs }) => ours[of] / theirs[of])),
    limit: ['<=', 1.1],
    from: `${middle('ours')} against ${middle('theirs')} ${unit}`,
  }
}

/** A server of this version and one of the last release (HUFU_FORMER names another commit), started by turns. */
export default async function start(): Promise<Figure[]> {
  const commit = lastReleased()
  if (!commit) throw new Error('the history does not go back to the last release')
  const bench = await layBenchGround()
  const former = await formerRelease(commit, makeTemporaryFolder('former-log'))
  try {
    const present = thisRelease(makeTemporaryFolder('present-log'))
    const environment = { ...(await bench.database('start')), NODE_ENV: 'production' }
    const starts: Record<'ours' | 'theirs', Start>[] = []
    // The first round only fills the caches of the disk.
    for (let round = 0; round <= rounds; round++)
      starts.push({ theirs: await startOf(former, environment), ours: await startOf(present, environment) })
    const measured = starts.slice(1)
    return [figureOf('CPU', 'ms', 'cpu', measured), figureOf('memory', 'MB', 'rss', measured)]
  } finally {
    await bench.stop()
    former.remove()
  }
}
