import { existsSync } from 'node:fs'
import { type Outcome, readReports } from './test-reports.ts'

// What .ci/run says after each step and as its last lines: what failed and what needed a second try, by name and why. At the
// end the tests as the runners reported them, and each failed step beside them.
const [failedSteps] = process.argv.slice(2)
const { outcomes } = existsSync('reports') ? readReports('reports') : { outcomes: [] }
const named = (result: string) => outcomes.filter((outcome) => outcome.result === result)
const tell = (what: string, { title, why }: Outcome) => console.log(`${what}: ${title}${why ? `: ${why}` : ''}`)
for (const outcome of named('again')) tell('passed at the second try', outcome)
for (const outcome of named('failed')) tell('failed', outcome)
if (failedSteps !== undefined) {
  const passed = named('passed').length + named('again').length
  console.log(`${passed} passed, ${named('failed').length + Number(failedSteps)} failed`)
}
