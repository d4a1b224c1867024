import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runToEnd } from '../run/run-to-end.ts'
import { makeTemporaryFolder } from '../run/temporary-folder.ts'
import { installPython } from './python.ts'
import type { Subject } from './subject.ts'

const version = '0.29.1'

/** Reads the site's meta without and a user with a token, by the generated functions and types alone. */
const program = `
import sys
from hufu_client import AuthenticatedClient
from hufu_client.api.site import meta
from hufu_client.api.management import read_managed_user

web, token, user = sys.argv[1:]
client = AuthenticatedClient(base_url=web, token=token)
site = meta.sync(client=client)
print(site.data.name, site.data.methods)
answer = read_managed_user.sync_detailed(user, client=client)
print(answer.status_code, answer.parsed.code)
assert answer.status_code == 404 and answer.parsed.code == "USER_UNKNOWN", answer
`

/** Generates a client in another language, compiles all of it and makes calls with it. */
export async function checkClients({ web, token }: Subject): Promise<boolean> {
  const bin = await installPython('openapi-python-client', version)
  const folder = makeTemporaryFolder('openapi-client')
  try {
    const document = join(folder, 'openapi.json')
    writeFileSync(document, await (await fetch(`${web}/api/openapi.json`)).text())
    const generate = ['generate', '--path', document, '--output-path', join(folder, 'generated')]
    if ((await runToEnd(join(bin, 'openapi-python-client'), generate, { cwd: folder })) !== 0) return false
    cpSync(join(folder, 'generated/hufu_client'), join(folder, 'hufu_client'), { recursive: true })
    const python = join(bin, 'python')
    if ((await runToEnd(python, ['-m', 'compileall', '-q', 'hufu_client'], { cwd: folder })) !== 0) return false
    writeFileSync(join(folder, 'program.py'), program)
    const user = '1b4e28ba-2fa1-41d2-883f-0016d3cca427'
    return (await runToEnd(python, ['program.py', web, token, user], { cwd: folder })) === 0
  } finally {
    rmSync(folder, { recursive: true })
  }
}
