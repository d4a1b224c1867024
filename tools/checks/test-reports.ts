import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

export interface Outcome {
  /** Names of the enclosing groups and of the test itself, without the file's. */
  title: string
  result: 'passed' | 'failed' | 'skipped'
  /** What the runner said of it where it failed, in one line. */
  why?: string
}

interface VitestReport {
  testResults: {
    name: string
    status: string
    message?: string
    assertionResults: { ancestorTitles: string[]; title: string; status: string; failureMessages?: string[] }[]
  }[]
}

interface PlaywrightTest {
  status: string
  expectedStatus: string
  results?: { errors?: { message?: string }[] }[]
}

interface PlaywrightSuite {
  title: string
  specs?: { title: string; tests: PlaywrightTest[] }[]
  suites?: PlaywrightSuite[]
}

interface PlaywrightReport {
  suites: PlaywrightSuite[]
}

/** The colours of a terminal. */
const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g')

/** What was said of each try, in a line of its own and not the whole of a long one. */
function reasonFor(tries: (string | undefined)[]): Pick<Outcome, 'why'> {
  const lines = tries.map((message = '') =>
    message.replaceAll(colours, '').replaceAll(/\s+/g, ' ').trim().slice(0, 300),
  )
  const why = lines.filter(Boolean).join(' | ')
  return why ? { why } : {}
}

/** A file that fails before its tests do has failed itself. */
export function readVitest({ testResults }: VitestReport): Outcome[] {
  return testResults.flatMap((file) => {
    const outcomes = file.assertionResults.map(
      ({ ancestorTitles, title, status, failureMessages = [] }): Outcome => ({
        title: [...ancestorTitles, title].join(' '),
        result: status === 'passed' || status === 'failed' ? status : 'skipped',
        ...reasonFor(failureMessages.slice(0, 1)),
      }),
    )
    const explained = file.status !== 'failed' || outcomes.some(({ result }) => result === 'failed')
    return explained
      ? outcomes
      : [...outcomes, { title: basename(file.name), result: 'failed', ...reasonFor([file.message]) }]
  })
}

/** A test that is expected to fail has failed, and so has one that passed only when it was tried again. */
function playwrightResult(test: PlaywrightTest): Outcome['result'] {
  if (test.status === 'skipped') return 'skipped'
  return test.status === 'expected' && test.expectedStatus === 'passed' ? 'passed' : 'failed'
}

function readSuite(suite: PlaywrightSuite, groups: string[]): Outcome[] {
  const own = (suite.specs ?? []).flatMap((spec) =>
    spec.tests.map((test) => ({
      title: [...groups, spec.title].join(' '),
      result: playwrightResult(test),
      ...reasonFor((test.results ?? []).map(({ errors }) => errors?.[0]?.message)),
    })),
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
