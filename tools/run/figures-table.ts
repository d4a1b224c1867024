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

/** As attacks/figure.ts says it. */
const missedLimit = /, must be (>=|<=|=) /

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
const measured = ['F11', 'F12', 'F13', 'F14', 'F15']

/** Of these the ones that failed by their figures and by nothing else. */
export function worthAnotherTry(unproved: string[], { testResults }: Report): string[] {
  const failures = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .flatMap(({ fullName, failureMessages = [] }) =>
      failureMessages.map((message) => ({ id: idOf(fullName), message })),
    )
  return unproved.filter((id) => {
    const own = failures.filter((failure) => failure.id === id)
    return measured.includes(id) && own.length > 0 && own.every(({ message }) => missedLimit.test(message))
  })
}

/** A run with those ids as they were measured anew. */
export function replaced<Run extends { told: Told[]; report: Report }>(first: Run, ids: string[], later: Run): Run {
  const anew = ({ fullName }: { fullName: string }) => ids.includes(idOf(fullName))
  const laterOf = (name: string) => later.report.testResults.find((file) => file.name === name)?.assertionResults ?? []
  const testResults = first.report.testResults.map((file) => ({
    ...file,
    assertionResults: [
      ...file.assertionResults.filter((test) => !anew(test)),
      ...laterOf(file.name).filter((test) => anew(test)),
    ],
  }))
  const told = [...first.told.filter(({ test }) => !ids.includes(idOf(test))), ...later.told]
  return { ...first, told, report: { ...first.report, testResults } }
}
