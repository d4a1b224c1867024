import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

export interface Outcome {
  /** Names of the enclosing groups and of the test itself, without the file's. */
  title: string
  /** `again`: it passed when it was tried a second time. */
  result: 'passed' | 'again' | 'failed' | 'skipped'
}

interface VitestReport {
  testResults: {
    name: string
    status: string
    assertionResults: { ancestorTitles: string[]; title: string; status: string }[]
  }[]
}

interface PlaywrightSuite {
  title: string
  specs?: { title: string; tests: { status: string; expectedStatus: string }[] }[]
  suites?: PlaywrightSuite[]
}

interface PlaywrightReport {
  suites: PlaywrightSuite[]
}

/** A file that fails before its tests do has failed itself. */
export function readVitest({ testResults }: VitestReport): Outcome[] {
  return testResults.flatMap((file) => {
    const outcomes = file.assertionResults.map(
      ({ ancestorTitles, title, status }): Outcome => ({
        title: [...ancestorTitles, title].join(' '),
        result: status === 'passed' || status === 'failed' ? status : 'skipped',
      }),
    )
    const explained = file.status !== 'failed' || outcomes.some(({ result }) => result === 'failed')
    return explained ? outcomes : [...outcomes, { title: basename(file.name), result: 'failed' }]
  })
}

/** A test that is expected to fail has failed. */
function playwrightResult(test: { status: string; expectedStatus: string }): Outcome['result'] {
  if (test.status === 'skipped') return 'skipped'
  if (test.status === 'flaky') return 'again'
  return test.status === 'expected' && test.expectedStatus === 'passed' ? 'passed' : 'failed'
}

function readSuite(suite: PlaywrightSuite, groups: string[]): Outcome[] {
  const own = (suite.specs ?? []).flatMap((spec) =>
    spec.tests.map((test) => ({ title: [...groups, spec.title].join(' '), result: playwrightResult(test) })),
  )
  return [...own, ...(suite.suites ?? []).flatMap((inner) => readSuite(inner, [...groups, inner.title]))]
}

/** The outermost suites are files. A test that runs in several projects stands here once for each. */
export const readPlaywright = ({ suites }: PlaywrightReport): Outcome[] => suites.flatMap((file) => readSuite(file, []))

/** The titles alone, of a list that wasn't run. */
export const storyTitles = (report: PlaywrightReport): string[] => readPlaywright(report).map(({ title }) => title)

const readers: [RegExp, (report: never) => Outcome[]][] = [
  [/^vitest.*\.json$/, readVitest],
  [/^e2e.*\.json$/, readPlaywright],
]

export function readReports(folder: string): { names: string[]; outcomes: Outcome[] } {
  const names: string[] = []
  const outcomes: Outcome[] = []
  for (const name of readdirSync(folder).sort()) {
    const reader = readers.find(([pattern]) => pattern.test(name))?.[1]
    if (!reader) continue
    names.push(name)
    outcomes.push(...reader(JSON.parse(readFileSync(join(folder, name), 'utf8')) as never))
  }
  return { names, outcomes }
}
