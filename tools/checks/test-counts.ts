import { existsSync } from 'node:fs'
import { readReports } from './test-reports.ts'

// What .ci/run says after each step and as its last lines: what failed and what needed a second try, by name. At the end the
// tests as the runners reported them, and each failed step beside them.
const [failedSteps] = process.argv.slice(2)
const { outcomes } = existsSync('reports') ? readReports('reports') : { outcomes: [] }
const named = (result: string) => outcomes.filter((outcome) => outcome.result === result)
for (const { title } of named('again')) console.log(`passed at the second try: ${title}`)
for (const { title } of named('failed')) console.log(`failed: ${title}`)
if (failedSteps !== undefined) {
  const passed = named('passed').length + named('again').length
  console.log(`${passed} passed, ${named('failed').length + Number(failedSteps)} failed`)
}
