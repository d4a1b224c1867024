import { runToEnd } from './run-to-end.ts'
import './end-with-script-runner.ts'
import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { unpackArtefact } from '../release/unpack.ts'
import { artefact } from './build.ts'
import {
  figuresTable,
  idsOf,
  outcomesOf,
  type Report,
  readReport,
  readTold,
  replaced,
  type Told,
  worthAnotherTry,
} from './figures-table.ts'
import { waitForQuiet } from './processors.ts'

// pnpm attacks [A01 …] [--short] and pnpm faults [F06 …] [--short]: the named ids of docs/security.md, or all of them. Ends
// with a table of what was measured; fails where an id failed, wasn't run or told no figure. With --artefact the processes are
// those of the release, built for this and unpacked in an empty folder, instead of the sources.
const root = join(import.meta.dirname, '../..')
const [folder = 'attacks', ...rest] = process.argv.slice(2)
const short = rest.includes('--short')
/** --tries=3: speed under load that isn't held is measured anew, twice at most. */
const tries = Number(rest.find((word) => word.startsWith('--tries='))?.split('=')[1] ?? 1)
const ids = rest.filter((word) => !word.startsWith('--')).map((id) => id.toUpperCase())
const all = folder === 'attacks' || folder === 'faults' ? idsOf[folder] : []
const unknown = ids.filter((id) => !all.includes(id))
if (all.length === 0 || unknown.length > 0) {
  console.error(
    `node tools/run/attacks.ts attacks|faults [ID …] [--short] [--artefact]; not understood: ${unknown.join(' ') || folder}`,
  )
  process.exit(1)
}

// Runs at the same time need folders of their own.
const reports = resolve(root, process.env.HUFU_REPORTS ?? 'reports')
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const unpacked = rest.includes('--artefact') ? await unpackArtefact() : undefined

interface Run {
  status: number
  told: Told[]
  report: Report
}

const fileIn = (where: string) => join(where, `vitest-${folder}.json`)

/** Runs the tests of these ids, of all where none is named. */
async function measure(some: string[], where: string): Promise<Run> {
  const [report, figures] = [fileIn(where), join(where, `figures-${folder}.jsonl`)]
  for (const file of [report, figures]) rmSync(file, { force: true })
  const files = some.map((id) => `${folder}/${id.toLowerCase()}-`)
  const pattern = some.length > 0 ? ['-t', `^(${some.join('|')}) `] : []
  const settings = ['--config', `${folder}/vitest.config.ts`]
  const status = await runToEnd(process.execPath, [vitest, 'run', ...settings, ...files, ...pattern], {
    cwd: root,
    env: {
      ...process.env,
      HUFU_FIGURES: figures,
      // Where the configuration has the report written.
      HUFU_REPORTS: where,
      ...(short && { HUFU_SHORT: '1' }),
      ...(unpacked && { HUFU_ARTEFACT: unpacked.home }),
    },
  })
  return { status, told: readTold(figures), report: readReport(report) }
}

const wanted = ids.length > 0 ? ids : all
const table = ({ told, report }: Run) => figuresTable(wanted, told, outcomesOf(report))

/** Whether anything failed besides what the ids say. */
const othersFailed = ({ report }: Run) => outcomesOf(report).get('') === false

let run = await measure(ids, reports)
for (let tried = 1; tried < tries; tried++) {
  const again = worthAnotherTry(table(run).unproved, run.report)
  if (again.length === 0) break
  console.log(`\nmeasured anew: ${again.join(' ')}`)
  await waitForQuiet(120)
  run = { ...replaced(run, again, await measure(again, join(reports, 'again'))), status: 0 }
  writeFileSync(fileIn(reports), JSON.stringify(run.report))
}
unpacked?.remove()

const { lines, unproved } = table(run)
console.log(`\n${lines.join('\n')}\n`)
const form = `${short ? ', short form' : ''}${unpacked || artefact ? ', on the release' : ''}`
console.log(`${folder}${form}: ${wanted.length - unproved.length} of ${wanted.length} ids held`)
if (unproved.length > 0) console.error(`not held: ${unproved.join(' ')}`)
process.exit(run.status || (unproved.length > 0 || othersFailed(run) ? 1 : 0))
