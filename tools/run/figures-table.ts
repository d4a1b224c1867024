import { existsSync, readFileSync } from 'node:fs'
import { type Figure, holds, shown } from '../../bench/figure.ts'

/** A figure as a test told it, with the title of the test. */
export type Told = Figure & { test: string }

export interface Report {
  testResults: { name: string; assertionResults: { fullName: string; status: string; failureMessages?: string[] }[] }[]
}

const idOf = (title: string): string => /\b[AF]\d{2}\b/.exec(title)?.[0] ?? ''
const numbered = (letter: string, last: number) =>
  Array.from({ length: last }, (_, index) => `${letter}${String(index + 1).padStart(2, '0')}`)

/** As attacks/figure.ts says it. What must be exactly something was counted, not measured: no neighbour excuses it. */
const missedLimit = /, must be (>=|<=) /

/** Every id that docs/security.md promises. */
export const idsOf = { attacks: numbered('A', 42), faults: numbered('F', 16) }

export function readTold(file: string): Told[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trim().split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as Told)
}

export const readReport = (file: string): Report =>
  existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { testResults: [] }

/** What vitest reported, by id: whether all tests of it passed. Tests that a short run skips don't count. */
export function outcomesOf(report: Report): Map<string, boolean> {
  const outcomes = new Map<string, boolean>()
  for (const { fullName, status } of report.testResults.flatMap(({ assertionResults }) => assertionResults)) {
    if (!['passed', 'failed'].includes(status)) continue
    const id = idOf(fullName)
    outcomes.set(id, (outcomes.get(id) ?? true) && status === 'passed')
  }
  return outcomes
}

const lineOf = (id: string, figure: Figure) =>
  `${id}  ${holds(figure) ? 'ok  ' : 'FAIL'}  ${figure.name}: ${shown(figure)}  (${figure.limit.join(' ')})`

/** The table of a run, and the ids of which nothing was proved: not run, failed, or without a figure. */
export function figuresTable(ids: string[], told: Told[], outcomes: Map<string, boolean>) {
  const lines: string[] = []
  const unproved: string[] = []
  for (const id of ids) {
    const own = told.filter(({ test }) => idOf(test) === id)
    lines.push(...own.map((figure) => lineOf(id, figure)))
    if (own.length === 0) lines.push(`${id}  ----  no figure was told`)
    if (outcomes.get(id) !== true || own.length === 0 || !own.every(holds)) unproved.push(id)
  }
  return { lines, unproved }
}

/** Speed under load, which neighbours on a shared machine disturb. Whatever else is promised holds at the first try. */
const measured = ['F05', 'F06', 'F07', 'F11', 'F12', 'F13', 'F14', 'F15']

/** Of these the ones that failed by their figures and by nothing else, or whose tests never began. */
export function worthAnotherTry(unproved: string[], { testResults }: Report): string[] {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  return unproved.filter((id) => {
    const begun = tests.filter(({ fullName, status }) => idOf(fullName) === id && ['passed', 'failed'].includes(status))
    const failed = begun.filter(({ status }) => status === 'failed')
    const byFigures = failed.every(
      ({ failureMessages = [] }) =>
        failureMessages.length > 0 && failureMessages.every((message) => missedLimit.test(message)),
    )
    return measured.includes(id) && byFigures && (failed.length > 0 || begun.length === 0)
  })
}

/** A run with those ids as they were measured anew. */
export function replaced<Run extends { told: Told[]; report: Report }>(first: Run, ids: string[], later: Run): Run {
  const anew = ({ fullName }: { fullName: string }) => ids.includes(idOf(fullName))
  const testResults = first.report.testResults.map((file) => {
    const again = later.report.testResults.find(({ name }) => name === file.name)
    const assertionResults = [
      ...file.assertionResults.filter((test) => !anew(test)),
      ...(again?.assertionResults ?? []).filter((test) => anew(test)),
    ]
    // A file holds the tests of one id: what became of it is what became of it now.
    return { ...file, ...again, assertionResults }
  })
  const told = [...first.told.filter(({ test }) => !ids.includes(idOf(test))), ...later.told]
  return { ...first, told, report: { ...first.report, testResults } }
}
