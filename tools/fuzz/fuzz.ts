import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { timeLimit } from '../checks/time-limit.ts'

/**
 * How often each property is tried, and for how long at most. The inputs are the same each time, so that a check that fails
 * has found something in this change; `pnpm fuzz` tries longer, with new ones.
 */
const runs = Number(process.env.FUZZ_RUNS ?? 300)
const seconds = Number(process.env.FUZZ_SECONDS ?? 10)
const seed = Number(process.env.FUZZ_SEED ?? 1)

/** Inputs that once failed or are known to be nasty. They are tried before any others, by every run. */
const seedsOf = (parser: string): unknown[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, `seeds/${parser}.json`), 'utf8'))

interface Options {
  /** Of the runs: what is slow by nature is tried less often. */
  share?: number
}

/**
 * One property of a parser, for everything that `inputs` makes and everything that is kept under the parser's name. A failure
 * prints the smallest input that was found and how to keep it.
 */
export function fuzz<Input>(
  parser: string,
  title: string,
  inputs: fc.Arbitrary<Input>,
  holds: (input: Input) => void | Promise<void>,
  { share = 1 }: Options = {},
): void {
  test(`${title} (fuzzed)`, { timeout: (seconds + 20) * 1_000 }, async () => {
    const kept = seedsOf(parser) as Input[]
    const result = await fc.check(
      fc.asyncProperty(inputs, async (input) => holds(input)),
      {
        seed,
        numRuns: Math.max(1, Math.ceil(runs * share)) + kept.length,
        examples: kept.map((input) => [input]),
        interruptAfterTimeLimit: seconds * 1_000,
      },
    )
    if (!result.failed) return
    const [input] = result.counterexample ?? []
    expect.fail([fc.defaultReportMessage(result), String(result.errorInstance), howToKeep(parser, input)].join('\n'))
  })
}

const howToKeep = (parser: string, input: unknown) =>
  `Again: FUZZ_SEED=${seed} FUZZ_RUNS=${runs}. Keep it: add ${ascii(input)} to tools/fuzz/seeds/${parser}.json.`

/** As JSON in plain letters: what can't be seen must not get lost on its way into the file. */
const ascii = (input: unknown) =>
  (JSON.stringify(input) ?? 'undefined').replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Milliseconds for each 10 KB, or a part of them. */
const most = 10

/** CPU time of this thread, in milliseconds: other load on the machine doesn't count. */
function worked(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** What `work` answers. It must not be slow for the size of its input; the first times are slower by nature. */
export function quick<Value>(size: number, work: () => Value): Value {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 5; tries++) {
    const start = worked()
    const value = work()
    least = Math.min(least, worked() - start)
    if (least <= timeLimit(most) * Math.ceil(Math.max(size, 1) / 10_240)) return value
  }
  throw new Error(`${size} characters took ${least.toFixed(1)} ms`)
}

console.log(`fuzzing with seed ${seed}, ${runs} runs for each property`)
