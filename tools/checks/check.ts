import { runToEnd } from '../run/run-to-end.ts'
import '../run/end-with-script-runner.ts'
import { rmSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'

interface Command {
  line: string
  folder?: string
}

/** Where vitest.config.ts puts what the tests proved. */
const report = 'reports/vitest.json'

/** The checks that a change must pass, in the order in which they run. */
const checks: Record<string, Command[]> = {
  lint: [{ line: 'biome check --error-on-warnings .' }],
  types: [{ line: 'tsc --build' }],
  boundaries: [{ line: 'node tools/checks/boundaries.ts' }],
  dependencies: [{ line: 'node tools/checks/dependencies.ts' }],
  commits: [{ line: 'node tools/checks/commits.ts' }],
  unused: [{ line: 'knip --no-config-hints' }],
  bundle: [
    { line: 'node --run build', folder: 'apps/web' },
    { line: 'node tools/checks/bundle.ts' },
    { line: 'node tools/checks/old-browsers.ts' },
  ],
  tests: [{ line: 'vitest run' }],
  checklist: [{ line: 'node tools/checks/checklist.ts --carried' }],
}

const root = resolve(import.meta.dirname, '../..')
const environment = {
  ...process.env,
  PATH: [resolve(root, 'node_modules/.bin'), process.env.PATH].join(delimiter),
}

async function succeeds({ line, folder = '.' }: Command): Promise<boolean> {
  const [program = '', ...args] = line.split(' ')
  return (await runToEnd(program, args, { cwd: resolve(root, folder), env: environment })) === 0
}

async function run(name: string): Promise<{ name: string; passed: boolean; seconds: string }> {
  console.log(`\n── ${name}`)
  // A report of an earlier run must not prove anything now.
  if (name === 'tests') rmSync(resolve(root, report), { force: true })
  const start = performance.now()
  let passed = true
  for (const command of checks[name] ?? []) passed &&= await succeeds(command)
  return { name, passed, seconds: ((performance.now() - start) / 1000).toFixed(1) }
}

async function main(asked: string[]): Promise<number> {
  const unknown = asked.filter((name) => !(name in checks))
  if (unknown.length > 0) {
    console.error(`no check named ${unknown.join(', ')}; there are ${Object.keys(checks).join(', ')}`)
    return 1
  }
  const results: Awaited<ReturnType<typeof run>>[] = []
  for (const name of Object.keys(checks)) if (asked.length === 0 || asked.includes(name)) results.push(await run(name))
  console.log('\n── summary')
  for (const { name, passed, seconds } of results) {
    console.log(`${passed ? 'passed' : 'FAILED'}  ${name.padEnd(12)}${seconds.padStart(6)} s`)
  }
  const failed = results.filter(({ passed }) => !passed).length
  console.log(`${results.length - failed} passed, ${failed} failed`)
  return failed > 0 ? 1 : 0
}

process.exitCode = await main(process.argv.slice(2))
