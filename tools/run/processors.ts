import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** How the CPU time of one second was used, as fractions. */
export interface Second {
  idle: number
  /** Steal time: taken by the host for other machines. */
  stolen: number
}

interface Times {
  all: number
  idle: number
  stolen: number
}

function times(): Times {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n', 1)
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, irq = 0, softirq = 0, stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return { all: user + nice + system + idle + waiting + irq + softirq + stolen, idle: idle + waiting, stolen }
}

function between(last: Times, now: Times): Second {
  const passed = now.all - last.all || 1
  return { idle: (now.idle - last.idle) / passed, stolen: (now.stolen - last.stolen) / passed }
}

/** With more steal time than this, measured times are not reliable. */
const disturbed = 0.05

/** Waits, up to a limit, until there was no steal time for a while. */
export async function waitForQuiet(longestSeconds: number): Promise<void> {
  let quiet = 0
  for (let waited = 0; waited < longestSeconds && quiet < 10; waited++) {
    const last = times()
    await sleep(1_000)
    quiet = between(last, times()).stolen > disturbed ? 0 : quiet + 1
  }
}

/**
 * So many rounds, measured while the host took little of the processors for other machines: disturbed ones are measured again, as
 * often as three times over, and then the least disturbed count. The result of a round has no influence on this choice.
 */
export async function quietRounds<Result>(count: number, round: () => Promise<Result>): Promise<Result[]> {
  const done: { result: Result; stolen: number }[] = []
  const quiet = () => done.filter(({ stolen }) => stolen <= disturbed).length
  while (quiet() < count && done.length < 3 * count) {
    const last = times()
    const result = await round()
    const { stolen } = between(last, times())
    done.push({ result, stolen })
    if (stolen > disturbed)
      process.stdout.write(`in this round the host took ${(stolen * 100).toFixed(0)} % of the processors\n`)
  }
  return done
    .toSorted((a, b) => a.stolen - b.stolen)
    .slice(0, count)
    .map(({ result }) => result)
}

/** Whether a second had the whole machine: the host took little in it and in the ten before, whose work would still be waiting. */
export function isOurs(seconds: Second[], which: number): boolean {
  return seconds.slice(Math.max(0, which - 10), which + 2).every(({ stolen }) => stolen <= disturbed)
}

/** Notes every second, until it is stopped, how busy the machine is and how much of it other processes use. */
export function watchProcessors(): { stop(): Second[] } {
  const seconds: Second[] = []
  let last = times()
  const timer = setInterval(() => {
    const now = times()
    seconds.push(between(last, now))
    last = now
  }, 1_000)
  return {
    stop() {
      clearInterval(timer)
      return seconds
    },
  }
}
