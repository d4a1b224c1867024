import { readReports } from './test-reports.ts'

// The last lines of .ci/run: what failed, by name; tests as the runners reported them, and each failed step beside them.
const failedSteps = Number(process.argv[2] ?? 0)
const { outcomes } = readReports('reports')
for (const { title } of outcomes.filter(({ result }) => result === 'failed')) console.log(`failed: ${title}`)
const count = (result: string) => outcomes.filter((outcome) => outcome.result === result).length
console.log(`${count('passed')} passed, ${count('failed') + failedSteps} failed`)
