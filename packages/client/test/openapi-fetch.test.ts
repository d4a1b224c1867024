import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import openapiTS, { astToString } from 'openapi-typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { machine, startProduct } from './product.ts'

const here = join(import.meta.dirname, '..')
/** Types, paths, bodies, security and failures as the generator understood them. */
const program = `
import createClient from 'openapi-fetch'
import type { components, paths } from './schema.js'

const [issuer = '', token = ''] = process.argv.slice(2)
const client = createClient<paths>({ baseUrl: issuer, headers: { Origin: issuer } })

const site = await client.POST('/api/meta')
const methods: ('mobile' | 'password' | 'wechat')[] = site.data?.data.methods ?? []

const wrong = await client.POST('/api/login/password', { body: { account: 'lin', password: 'Wrong#2026' } })
const code: components['schemas']['ErrorCode'] | undefined = wrong.error?.code
// @ts-expect-error A required field is missing.
await client.POST('/api/login/password', { body: { account: 'lin' } })
// @ts-expect-error A body is required.
await client.POST('/api/login/password', {})

const id = '1b4e28ba-2fa1-41d2-883f-0016d3cca427'
const headers = { Authorization: 'Bearer ' + token }
const user = await client.GET('/api/manage/v1/users/{id}', { params: { path: { id } }, headers })
const refused = await client.GET('/api/manage/v1/users/{id}', { params: { path: { id } } })
console.log(JSON.stringify([methods, code, user.response.status, user.error?.code, refused.error?.code]))
`

let product: Awaited<ReturnType<typeof startProduct>>
let folder: string
beforeAll(async () => {
  product = await startProduct()
  folder = mkdtempSync(join(tmpdir(), 'hufu-openapi-'))
})
afterAll(async () => {
  await product?.close()
  if (folder) rmSync(folder, { recursive: true })
})

async function machineToken(issuer: string): Promise<string> {
  const grant = { grant_type: 'client_credentials', scope: 'users:read' }
  const body = new URLSearchParams({ ...grant, client_id: machine.clientId, client_secret: machine.clientSecret })
  const answer = (await (await fetch(`${issuer}/oidc/token`, { method: 'POST', body })).json()) as {
    access_token: string
  }
  return answer.access_token
}

test('D456 a client that openapi-typescript generates from the document compiles and signs a call', async () => {
  const { issuer } = product
  const document = await (await fetch(`${issuer}/api/openapi.json`)).text()
  writeFileSync(join(folder, 'schema.ts'), astToString(await openapiTS(document)))
  writeFileSync(join(folder, 'program.ts'), program)
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
  for (const name of ['openapi-fetch', 'openapi-typescript-helpers'])
    symlinkSync(packageFolder(name), join(folder, 'node_modules', name))
  symlinkSync(realpathSync(join(here, '../../node_modules/@types/node')), join(folder, 'node_modules/@types/node'))
  const options = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--types',
    'node',
  ]
  // The server answers in this process.
  const run = promisify(execFile)
  await run(join(here, 'node_modules/.bin/tsc'), [...options, 'program.ts'], { cwd: folder })
  const { stdout } = await run(process.execPath, ['program.js', issuer, await machineToken(issuer)], { cwd: folder })
  expect(JSON.parse(stdout)).toEqual([
    ['mobile', 'password', 'wechat'],
    'LOGIN_FAILED',
    404,
    'USER_UNKNOWN',
    'TOKEN_INVALID',
  ])
})

/** What one package brings along stands beside it. */
function packageFolder(name: string): string {
  const fetching = realpathSync(join(here, 'node_modules/openapi-fetch'))
  return name === 'openapi-fetch' ? fetching : realpathSync(join(fetching, '..', name))
}
