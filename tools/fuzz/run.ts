import '../run/end-with-script-runner.ts'
import { runToEnd } from '../run/run-to-end.ts'

// The long form of all *.fuzz.test.ts, or of those whose name holds one of the words given.
const anySeed = String(Math.floor(Math.random() * 2 ** 31))
const { FUZZ_RUNS = '200000', FUZZ_SECONDS = '60', FUZZ_SEED = anySeed } = process.env
process.exitCode = await runToEnd('vitest', ['run', '--project', 'fuzz', ...process.argv.slice(2)], {
  env: { ...process.env, FUZZ_RUNS, FUZZ_SECONDS, FUZZ_SEED },
})
