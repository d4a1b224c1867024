import { globSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { unpackArtefact } from '../release/unpack.ts'
import { artefact } from './build.ts'
import { figuresTable, idsOf, lossLanes, outcomesOf, type Report, readFigures, readReport } from './figures-table.ts'
import { runToEnd } from './run-to-end.ts'
import './end-with-script-runner.ts'

// pnpm attacks [A01 …] [--short] and pnpm faults [F06 …] [--short]: the named ids of docs/security.md, or all of them. Ends
// with a table of what was measured; fails if an id failed, wasn't run or reported no figure. --losses: the faults that count
// what was lost, two at a time. With --artefact the processes are those of the release, built for this and unpacked in an
// empty folder, instead of the sources. --built: on the pages as they were built last.
const root = join(import.meta.dirname, '../..')
const [folder = 'attacks', ...rest] = process.argv.slice(2)
const has = (flag: string) => rest.includes(flag)
const short = has('--short')
const named = rest.filter((word) => !word.startsWith('--')).map((id) => id.toUpperCase())
const all = folder === 'attacks' || folder === 'faults' ? idsOf[folder] : []
const flags = ['--short', '--artefact', '--built', ...(folder === 'faults' ? ['--losses'] : [])]
const unknown = rest.filter((word) => !flags.includes(word) && !all.includes(word.toUpperCase()))
if (all.length === 0 || unknown.length > 0 || (has('--losses') && named.length > 0)) {
  console.error(
    `node tools/run/attacks.ts attacks|faults [ID …] [--short] [--artefact] [--built], or faults --losses; not understood: ${unknown.join(' ') || folder}`,
  )
  process.exit(1)
}

// Runs at the same time need folders of their own.
const reports = resolve(root, process.env.HUFU_REPORTS ?? 'reports')
const figures = join(reports, `figures-${folder}.jsonl`)
for (const file of [figures, ...globSync(join(reports, `vitest-${folder}*.json`))]) rmSync(file, { force: true })
const unpacked = has('--artefact') ? await unpackArtefact() : undefined

interface Run {
  status: number
  report: Report
}

/** Runs the tests of these ids, of all where none is named, on stores, gateways and processes of its own. */
async function measure(ids: string[], reportFile: string): Promise<Run> {
  const files = ids.map((id) => `verify/${folder}/${id.toLowerCase()}-`)
  const pattern = ids.length > 0 ? ['-t', `^(${ids.join('|')}) `] : []
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--config', `verify/${folder}/vitest.config.ts`]
  const status = await runToEnd(process.execPath, [...vitest, ...files, ...pattern], {
    cwd: root,
    env: {
      // The short form runs beside other work; the full form holds every limit as it is written.
      ...(!short && { HUFU_STRICT_LIMITS: '1' }),
      ...process.env,
      HUFU_FIGURES: figures,
      HUFU_REPORT: reportFile,
      ...(short && { HUFU_SHORT: '1' }),
      ...(has('--built') && { HUFU_BUILT: '1' }),
      ...(unpacked && { HUFU_ARTEFACT: unpacked.home }),
    },
  })
  return { status, report: readReport(reportFile) }
}

const lanes = has('--losses') ? lossLanes : [named]
const reportOf = (lane: number) => join(reports, `vitest-${folder}${lanes.length > 1 ? `-${lane + 1}` : ''}.json`)
const runs = await Promise.all(lanes.map((ids, lane) => measure(ids, reportOf(lane))))
unpacked?.remove()

const wanted = lanes.flat().length > 0 ? lanes.flat().sort() : all
const outcomes = outcomesOf({ testResults: runs.flatMap(({ report }) => report.testResults) })
const { lines, unproved } = figuresTable(wanted, readFigures(figures), outcomes)
console.log(`\n${lines.join('\n')}\n`)
const form = `${short ? ', short form' : ''}${unpacked || artefact ? ', on the release' : ''}`
console.log(`${folder}${form}: ${wanted.length - unproved.length} of ${wanted.length} ids held`)
if (unproved.length > 0) console.error(`not held: ${unproved.join(' ')}`)
process.exit(runs.some(({ status }) => status !== 0) || unproved.length > 0 ? 1 : 0)
