import { existsSync, readFileSync } from 'node:fs'
import { type Figure, idOf, shown } from '../../verify/harness/figures.ts'

/** A figure as a test reported it: one row of the report, with the id and the title of the test. */
export type ReportedFigure = Figure & { id: string; held: boolean; test: string }

export interface Report {
  testResults: { name: string; assertionResults: { fullName: string; status: string }[] }[]
}

const numbered = (letter: string, last: number) =>
  Array.from({ length: last }, (_, index) => `${letter}${String(index + 1).padStart(2, '0')}`)

/** Every id that docs/security.md promises. */
export const idsOf = { attacks: numbered('A', 57), faults: numbered('F', 18) }

/**
 * The faults that count what was lost or doubled, in two lanes of about the same length. The other faults measure speed, which
 * needs a machine of its own.
 */
export const lossLanes = [
  ['F01', 'F03', 'F06', 'F16'],
  ['F04', 'F08', 'F09', 'F10'],
]

export function readFigures(file: string): ReportedFigure[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trim().split('\n').filter(Boolean)
  // JSON has no infinity and writes null for it.
  return lines.map((line) => JSON.parse(line)).map((row) => ({ ...row, value: row.value ?? Number.POSITIVE_INFINITY }))
}

export const readReport = (file: string): Report =>
  existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { testResults: [] }

/** What vitest reported, by id: whether all tests of it passed. Tests that a short run skips don't count. */
export function outcomesOf({ testResults }: Report): Map<string, boolean> {
  const outcomes = new Map<string, boolean>()
  for (const { fullName, status } of testResults.flatMap(({ assertionResults }) => assertionResults)) {
    if (!['passed', 'failed'].includes(status)) continue
    const id = idOf(fullName)
    outcomes.set(id, (outcomes.get(id) ?? true) && status === 'passed')
  }
  return outcomes
}

const lineOf = (figure: ReportedFigure) =>
  `${figure.id}  ${figure.held ? 'ok  ' : 'FAIL'}  ${figure.name}: ${shown(figure)}  (${figure.limit.join(' ')})`

/** The table of a run, and the ids of which nothing was proved: not run, failed, or without a figure. */
export function figuresTable(ids: string[], figures: ReportedFigure[], outcomes: Map<string, boolean>) {
  const lines: string[] = []
  const unproved: string[] = []
  for (const id of ids) {
    const own = figures.filter((figure) => figure.id === id)
    lines.push(...own.map(lineOf))
    if (own.length === 0) lines.push(`${id}  ----  no figure was reported`)
    if (outcomes.get(id) !== true || own.length === 0 || !own.every(({ held }) => held)) unproved.push(id)
  }
  return { lines, unproved }
}
