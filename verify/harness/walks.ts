import { randomInt } from 'node:crypto'
import { short } from './harness.ts'

/** The short form takes the same cases every time; the full form others in each run, which HUFU_SEED repeats. */
const seed = Number(process.env.HUFU_SEED ?? (short ? 1 : randomInt(2 ** 32)))

/** Chooses the cases of a run, and says by which seed. */
export function seeded(what: string): (below: number) => number {
  process.stdout.write(`${what}: HUFU_SEED=${seed}\n`)
  return random(seed)
}

/** The same walk for the same seed, so that a failed one can be repeated. */
export function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
