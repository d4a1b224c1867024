import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser } from '../../../apps/server/src/features/users/users.service.ts'
import { fresh } from '../../../apps/server/test/test-app.ts'
import { freePort } from '../../../tools/stores/ports.ts'
import { machine, startProduct, web } from './product.ts'

const here = join(import.meta.dirname, '..')
const readme = readFileSync(join(here, 'README.md'), 'utf8')
const examples = new Map(
  [...readme.matchAll(/<!-- example: (\w+) -->\n```ts\n([\s\S]*?)```/g)].map(([, name = '', source = '']) => [
    name,
    source,
  ]),
)

let project: string
let product: Awaited<ReturnType<typeof startProduct>>

/** An empty project with the packed package, a compiler and, as its user would, the optional peer. */
function makeProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'hufu-client-'))
  const npm = (args: string[], cwd: string) =>
    execFileSync('npm', [...args, '--offline', '--no-audit', '--no-fund', '--loglevel', 'error'], {
      cwd,
      encoding: 'utf8',
    })
  const packed = npm(['pack', '--pack-destination', folder], here).trim().split('\n').at(-1) ?? ''
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  npm(['install', '--ignore-scripts', `./${packed}`], folder)
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
  symlinkSync(realpathSync(join(here, '../../node_modules/@types/node')), join(folder, 'node_modules/@types/node'))
  symlinkSync(realpathSync(join(here, 'node_modules/openid-client')), join(folder, 'node_modules/openid-client'))
  return folder
}

beforeAll(async () => {
  project = makeProject()
  product = await startProduct()
})
afterAll(async () => {
  await product?.close()
  if (project) rmSync(project, { recursive: true })
})

function start(name: string, environment: Record<string, string>) {
  const { PATH = '' } = process.env
  const env = { PATH, ISSUER: product.issuer, ...environment }
  const child = spawn(process.execPath, [join(project, 'out', `${name}.js`)], { cwd: project, env, stdio: 'pipe' })
  const ended = Promise.all([text(child.stdout), text(child.stderr), new Promise((done) => child.once('exit', done))])
  return { child, ended }
}

async function outputOf(name: string, environment: Record<string, string>): Promise<string> {
  const [printed, errors, code] = await start(name, environment).ended
  expect(errors).toBe('')
  expect(code).toBe(0)
  return printed.trim()
}

test('D463 the package holds its modules, types, README and licence, and depends on nothing', () => {
  const inside = join(project, 'node_modules/@hufu/client')
  const manifest = JSON.parse(readFileSync(join(inside, 'package.json'), 'utf8'))
  expect(manifest.dependencies).toBeUndefined()
  expect(manifest.license).toBe('Apache-2.0')
  expect(readdirSync(inside).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
  for (const entry of Object.values(manifest.exports).flatMap((each) => Object.values(each as object)))
    expect(existsSync(join(inside, String(entry))), String(entry)).toBe(true)
  const imported = readdirSync(join(inside, 'dist'))
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) => [...readFileSync(join(inside, 'dist', name), 'utf8').matchAll(/from '([^'.][^']*)'/g)])
    .map(([, specifier]) => specifier)
  expect([...new Set(imported)].filter((name) => !name?.startsWith('node:'))).toEqual(['openid-client'])
})

test('D463 the examples of the README compile in an empty project and run against the product', async () => {
  expect([...examples.keys()]).toEqual(['manage', 'webhooks', 'oidc'])
  for (const [name, source] of examples) writeFileSync(join(project, `${name}.ts`), source)
  const tsc = join(here, 'node_modules/.bin/tsc')
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--outDir', 'out', '--types', 'node']
  const compiled = [...examples.keys()].map((name) => `${name}.ts`)
  execFileSync(tsc, [...options, '--exactOptionalPropertyTypes', ...compiled], { cwd: project, stdio: 'inherit' })

  const id = await createUser(product.t.deps, product.siteId, { username: fresh.username() }, 'test')
  const client = { CLIENT_ID: machine.clientId, CLIENT_SECRET: machine.clientSecret }
  expect(await outputOf('manage', { ...client, USER_ID: id })).toBe(`${id} active`)
  expect(await outputOf('manage', { ...client, USER_ID: '1b4e28ba-2fa1-41d2-883f-0016d3cca427' })).toBe('no such user')
  const site = { CLIENT_ID: web.clientId, CLIENT_SECRET: web.clientSecret, REDIRECT_URI: web.redirectUri }
  expect(await outputOf('oidc', site)).toBe('/oidc/authorize')
})

test('D463 the example of webhooks takes a delivery twice and prints it once, and refuses a forged one', async () => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const port = String(await freePort())
  const { child, ended } = start('webhooks', { WEBHOOK_SECRETS: secret, PORT: port })
  const deliver = (body: string, signed = body) => {
    const now = new Date()
    const headers = {
      'webhook-id': 'e1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('e1', now, signed),
    }
    return fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })
  }
  const body = '{"type":"user.deleted","timestamp":"2026-11-18T00:00:00Z","data":{"id":"u1"}}'
  let first: Response | undefined
  while (!first && child.exitCode === null) {
    first = await deliver(body).catch(() => undefined)
    await sleep(50)
  }
  expect(first?.status).toBe(204)
  expect((await deliver(body)).status).toBe(204)
  const forged = await deliver(body.replace('u1', 'u2'), body)
  expect([forged.status, await forged.text()]).toEqual([400, 'signature'])
  child.kill()
  expect((await ended)[0].trim()).toBe('user.deleted u1')
})
