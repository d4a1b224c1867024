import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { waitForQuiet } from '../run/processors.ts'
import '../run/end-with-script-runner.ts'
import { type Child, startScript } from './child.ts'
import { type Part, parts, partsNamed } from './parts.ts'
import { buildOnce } from './release.ts'
import { type Outcome, outcomeOf, readRows, verifyTable, withoutRow } from './rows.ts'
import { runParts } from './run-parts.ts'

const help = `pnpm verify [part …] [--table] [--any-commit]

Runs everything in full form, on a machine with nothing else to do, before a release. Prints a table of every figure beside
its limit and writes it to reports/verify.json after each part. Fails where a part doesn't hold or hasn't run.

  pnpm verify                      the parts that haven't run on the commit that is checked out
  pnpm verify A14 F11 bench:users  these parts, also where they ran before; attacks, faults and bench mean all of theirs
  pnpm verify --table              runs nothing
  --any-commit                     a part that ran on any commit needs no other run and counts as it ended then

A part that didn't hold isn't run again until it is named. A run that was cut off goes on with the part it was at.

Parts: ${parts.map(({ id }) => id).join(' ')}`

const file = 'reports/verify.json'
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
const checkedOut = () => git('rev-parse', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '-dirty')

const release = buildOnce()
let running: Child | undefined
let stopped = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stopped = true
    if (running) return running.signal(signal)
    release.remove()
    process.exit(1)
  })
}

async function run(part: Part): Promise<Outcome> {
  const folder = join('reports/verify', part.id.replace(':', '-'))
  // A report of an earlier run must not prove anything now.
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const { archive, home } = part.onRelease ? await release.get() : { archive: '', home: undefined }
  if (part.measures) await waitForQuiet(120)
  const given = { folder, archive }
  running = startScript(part.script, part.args?.(given) ?? [], {
    HUFU_REPORTS: folder,
    ...(home !== undefined && { HUFU_ARTEFACT: home }),
    ...part.environment?.(given),
  })
  const exitCode = await running.ended.finally(() => {
    running = undefined
  })
  return outcomeOf(exitCode, part.figures?.(given))
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { table: { type: 'boolean' }, 'any-commit': { type: 'boolean' }, help: { type: 'boolean' } },
})

async function main(): Promise<number> {
  if (values.help) {
    console.log(help)
    return 0
  }
  const named = partsNamed(positionals)
  const commit = checkedOut()
  const counted = values['any-commit'] ? undefined : commit
  if (!values.table) {
    const wanted = positionals.length > 0 ? named : withoutRow(named, readRows(file), counted)
    await runParts(wanted, { file, run, checkedOut, stopped: () => stopped })
  }
  const ids = named.map(({ id }) => id)
  const { lines, open } = verifyTable(ids, readRows(file), counted)
  console.log(`\n${lines.join('\n')}\n\n${ids.length - open.length} of ${ids.length} parts held on ${commit}`)
  if (open.length > 0) console.error(`not held or not run: ${open.join(' ')}`)
  return open.length > 0 || stopped ? 1 : 0
}

try {
  process.exitCode = await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  release.remove()
}
