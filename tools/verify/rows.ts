import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type Figure, holds, shown } from '../../verify/harness/figures.ts'

/** What became of a part when it last ran. */
export interface Row {
  id: string
  held: boolean
  figures: (Figure & { held: boolean })[]
  /** Why it isn't held, where the figures don't say it. */
  reason?: string
  /** What was checked out, with `-dirty` where files differed from it. */
  commit: string
  at: string
  seconds: number
}

export type Outcome = Pick<Row, 'held' | 'figures' | 'reason'>

/** A part holds when its program succeeded, it left figures and all of them hold. */
export function outcomeOf(exitCode: number, measured: Figure[] | undefined): Outcome {
  const figures = measured ?? [{ name: 'exit code', value: exitCode, limit: ['=', 0] satisfies Figure['limit'] }]
  const rows = figures.map((figure) => ({ ...figure, held: holds(figure) }))
  const missed = rows.some(({ held }) => !held)
  if (rows.length === 0) return { held: false, figures: rows, reason: `no figures, exit code ${exitCode}` }
  if (exitCode !== 0 && !missed) return { held: false, figures: rows, reason: `exit code ${exitCode}` }
  return { held: !missed, figures: rows }
}

export const crashed = (error: unknown): Outcome => ({
  held: false,
  figures: [],
  reason: error instanceof Error ? error.message : String(error),
})

export const readRows = (file: string): Row[] =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Row[]) : []

/** The file is whole at any moment: a run may be cut off, and another one may add to it. */
export function saveRow(file: string, row: Row): void {
  const rows = [...readRows(file).filter(({ id }) => id !== row.id), row]
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.new`, `${JSON.stringify(rows, null, 2)}\n`)
  renameSync(`${file}.new`, file)
}

/** The row of a part that counts: of the present commit, or of any where `commit` is undefined. */
const rowFor = (rows: Row[], id: string, commit: string | undefined): Row | undefined =>
  rows.find((row) => row.id === id && (commit === undefined || row.commit === commit))

/** Parts without a row that counts. One that didn't hold has a row: it isn't tried again until it is named. */
export const withoutRow = <Part extends { id: string }>(parts: Part[], rows: Row[], commit: string | undefined) =>
  parts.filter(({ id }) => !rowFor(rows, id, commit))

/** `e045f0c12d-dirty`: enough of a commit to find it. */
const short = (commit: string): string => commit.replace(/^([0-9a-f]{10})[0-9a-f]*/, '$1')

const columns = ['id', 'held', 'figure', 'limit', 'commit']

/** One line for each figure: id, held or not, figure, limit, commit. */
function cellsOf({ id, held, figures, reason, commit }: Row): string[][] {
  const cells = figures.map((figure) => [
    id,
    figure.held ? 'yes' : 'NO',
    `${figure.name}: ${shown(figure)}`,
    figure.limit.join(' '),
    short(commit),
  ])
  return reason || cells.length === 0 ? [...cells, [id, held ? 'yes' : 'NO', reason ?? '', '', short(commit)]] : cells
}

function missingCells(rows: Row[], id: string): string[] {
  const earlier = rows.find((row) => row.id === id)
  return [id, '-', earlier ? 'not run on this commit' : 'not run', '', earlier ? short(earlier.commit) : '']
}

/** The table of these parts, and the ids of those that didn't hold or have no row that counts. */
export function verifyTable(ids: string[], rows: Row[], commit: string | undefined) {
  const counted = ids.map((id) => ({ id, row: rowFor(rows, id, commit) }))
  const cells = [columns, ...counted.flatMap(({ id, row }) => (row ? cellsOf(row) : [missingCells(rows, id)]))]
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)))
  const lines = cells.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return { lines, open: counted.filter(({ row }) => !row?.held).map(({ id }) => id) }
}
