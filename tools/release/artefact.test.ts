import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, lstatSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testKeys } from '../../apps/server/test/test-app.ts'
import { boundToParent } from '../run/bound-to-parent.ts'
import { makeTemporaryFolder } from '../run/temporary-folder.ts'
import { freePort } from '../stores/ports.ts'
import { type Stores, startStores } from '../stores/stores.ts'
import { type Unpacked, unpackArtefact } from './unpack.ts'

const mostMegabytes = 60
const mostResident = 150

let unpacked: Unpacked
let home: string
let empty: string
let stores: Stores
let environment: Record<string, string>
beforeAll(async () => {
  unpacked = await unpackArtefact()
  home = unpacked.home
  empty = makeTemporaryFolder('empty')
  stores = await startStores()
  environment = {
    PATH: process.env.PATH ?? '',
    HUFU_DATABASE_URL: `${stores.postgres.url}postgres`,
    HUFU_REDIS_URL: stores.redis.url,
    HUFU_KEYS: testKeys(),
    HUFU_PORT: String(await freePort()),
  }
}, 180_000)
afterAll(async () => {
  await stores?.stop()
  unpacked?.remove()
  rmSync(empty, { recursive: true, force: true })
})

const hufu = (...args: string[]) =>
  execFileSync(join(home, 'bin/hufu'), args, { env: environment, cwd: empty, encoding: 'utf8' })

async function page(path: string): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }> {
  const asked = request({
    host: '127.0.0.1',
    port: environment.HUFU_PORT,
    path,
    headers: { host: 'id.example.com', accept: 'text/html' },
  })
  asked.end()
  const [answer] = await once(asked, 'response')
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) }
}

async function waitReady(): Promise<void> {
  for (let tried = 0; tried < 300; tried++) {
    if ((await page('/readyz').catch(() => undefined))?.status === 200) return
    await sleep(100)
  }
  throw new Error('it was never ready')
}

test('the artefact is small and holds neither sources, tests nor links that lead out of it', () => {
  const files = globSync('**/*', { cwd: home }).map((path) => ({ path, stat: lstatSync(join(home, path)) }))
  const bytes = files.reduce((sum, { stat }) => sum + (stat.isFile() ? stat.size : 0), 0)
  expect(bytes / 1024 / 1024).toBeLessThan(mostMegabytes)
  expect(files.filter(({ stat }) => stat.isSymbolicLink())).toEqual([])
  expect(files.filter(({ path }) => /\.tsx?$|\.test\./.test(path))).toEqual([])
  expect(readFileSync(join(home, 'THIRD-PARTY.txt'), 'utf8')).toMatch(/^fastify \d/m)
  expect(readFileSync(join(home, 'hufu.env.example'), 'utf8').trim()).toBe(hufu('env').trim())
})

test('from the artefact alone, in an empty folder: migrate, create a site, serve pages', async () => {
  hufu('migrate')
  hufu('site', 'create', '--origin', 'https://id.example.com')
  const child = spawn(...boundToParent(join(home, 'bin/hufu'), ['serve']), {
    env: environment,
    cwd: empty,
    stdio: 'ignore',
  })
  try {
    await waitReady()
    const { status, headers, body } = await page('/login')
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    const [, script = ''] = /src="(\/[^"]+\.js)"/.exec(body) ?? []
    expect((await page(script)).headers['cache-control']).toContain('immutable')
    const [, resident = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
    expect(Number(resident) / 1024).toBeLessThan(mostResident)
  } finally {
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    expect((await gone)[0]).toBe(0)
  }
})
