import '../run/end-with-script-runner.ts'
import { checkClients } from './clients.ts'
import { checkAnswers } from './schemathesis.ts'
import { type Subject, startSubject } from './subject.ts'

// pnpm openapi clients | schemathesis: holds the OpenAPI document to tools of others, which come from PyPI.
const checks: Record<string, (subject: Subject, args: string[]) => Promise<boolean>> = {
  clients: checkClients,
  schemathesis: checkAnswers,
}
const [name = '', ...args] = process.argv.slice(2)
const check = checks[name]
if (!check) throw new Error(`pnpm openapi takes ${Object.keys(checks).join(' or ')}`)

const parts: { stop(): Promise<void> }[] = []
let passed = false
try {
  passed = await check(await startSubject(parts), args)
} finally {
  for (const part of parts.toReversed()) await part.stop()
}
process.exit(passed ? 0 : 1)
