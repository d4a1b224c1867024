import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { unpackArtefact } from '../release/unpack.ts'
import { artefact } from './build.ts'
import { figuresTable, idsOf, readOutcomes, readTold } from './figures-table.ts'

// pnpm attacks [A01 …] [--short] and pnpm faults [F06 …] [--short]: the named ids of docs/security.md, or all of them. Ends
// with a table of what was measured; fails where an id failed, wasn't run or told no figure. With --artefact the processes are
// those of the release, built for this and unpacked in an empty folder, instead of the sources.
const root = join(import.meta.dirname, '../..')
const [folder = 'attacks', ...rest] = process.argv.slice(2)
const short = rest.includes('--short')
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
const reports = join(root, process.env.HUFU_REPORTS ?? 'reports')
const report = join(reports, `vitest-${folder}.json`)
const figures = join(reports, `figures-${folder}.jsonl`)
for (const file of [report, figures]) rmSync(file, { force: true })
const files = ids.map((id) => `${folder}/${id.toLowerCase()}-`)
const pattern = ids.length > 0 ? ['-t', `^(${ids.join('|')}) `] : []
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const settings = ['--config', `${folder}/vitest.config.ts`, `--outputFile.json=${report}`]
const unpacked = rest.includes('--artefact') ? await unpackArtefact() : undefined
const { status } = spawnSync(process.execPath, [vitest, 'run', ...settings, ...files, ...pattern], {
  cwd: root,
  stdio: 'inherit',
  env: {
    ...process.env,
    HUFU_FIGURES: figures,
    ...(short && { HUFU_SHORT: '1' }),
    ...(unpacked && { HUFU_ARTEFACT: unpacked.home }),
  },
})
unpacked?.remove()

const wanted = ids.length > 0 ? ids : all
const { lines, unproved } = figuresTable(wanted, readTold(figures), readOutcomes(report))
console.log(`\n${lines.join('\n')}\n`)
const form = `${short ? ', short form' : ''}${unpacked || artefact ? ', on the release' : ''}`
console.log(`${folder}${form}: ${wanted.length - unproved.length} of ${wanted.length} ids held`)
if (unproved.length > 0) console.error(`not held: ${unproved.join(' ')}`)
process.exit(status || (unproved.length > 0 ? 1 : 0))
