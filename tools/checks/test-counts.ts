import { existsSync } from 'node:fs'
import { readReports } from './test-reports.ts'

// What .ci/run says after each step and as its last lines: what failed, by name and why. At the end the tests as the runners
// reported them, and each failed step beside them.
const [failedSteps] = process.argv.slice(2)
const { outcomes } = existsSync('reports') ? readReports('reports') : { outcomes: [] }
const named = (result: string) => outcomes.filter((outcome) => outcome.result === result)
for (const { title, why } of named('failed')) console.log(`failed: ${title}${why ? `: ${why}` : ''}`)
if (failedSteps !== undefined) {
  console.log(`${named('passed').length} passed, ${named('failed').length + Number(failedSteps)} failed`)
}
