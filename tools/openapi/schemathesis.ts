import { join } from 'node:path'
import { runToEnd } from '../run/run-to-end.ts'
import { makeTemporaryFolder } from '../run/temporary-folder.ts'
import { installPython } from './python.ts'
import type { Subject } from './subject.ts'

const version = '4.32.5'
/** Whatever is sent: no failure of ours, and no answer that the document omits. */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
]
/** Ends the session, or needs an account that has what the demo's operator hasn't. */
const ending = ['logout', 'closeAccount', 'removeOtherDevices', 'confirmLogout', 'streamWakeUps']
const examples = 15

/** Sends generated requests to every operation, well-formed and not, as an operator and as a machine. */
export async function checkAnswers({ web, cookie, token }: Subject, args: string[]): Promise<boolean> {
  const bin = await installPython('schemathesis', version)
  const options = [
    ...['run', `${web}/api/openapi.json`, '--url', web],
    ...['--checks', checks.join(',')],
    ...['--phases', 'examples,coverage,fuzzing', '--mode', 'all'],
    ...['--max-examples', String(examples), '--seed', '1', '--generation-deterministic'],
    ...['--continue-on-failure', '--no-color', '--request-timeout', '20', '--suppress-health-check', 'all'],
    ...ending.flatMap((name) => ['--exclude-operation-id', name]),
    ...['-H', `Cookie: ${cookie}`, '-H', `Origin: ${web}`, '-H', `Authorization: Bearer ${token}`],
    ...args,
  ]
  // It leaves a folder of its own where it runs.
  const cwd = makeTemporaryFolder('schemathesis')
  return (await runToEnd(join(bin, 'schemathesis'), options, { cwd })) === 0
}
