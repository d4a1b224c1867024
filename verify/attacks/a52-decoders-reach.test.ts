import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { changeAvatar, userInfo } from '@hufu/contract/profile'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { TestSite } from '../../apps/server/test/test-app.ts'
import { artefact, buildIn } from '../../tools/run/build.ts'
import { descendants } from '../../tools/run/descendants.ts'
import { makeTemporaryFolder } from '../../tools/run/temporary-folder.ts'
import { figure } from '../harness/assert-figure.ts'
import { type Api, startApi } from '../harness/environment.ts'
import { type Harness, openHarness } from '../harness/harness.ts'
import { asUnit } from './as-unit.ts'
import { photo, upload } from './uploads.ts'

const unprivileged = 65_534
const project = join(import.meta.dirname, '../..')

let folder: string
let runtime: string
let t: Harness
let site: TestSite
let api: Api
let drawer: ChildProcess | undefined
beforeAll(async () => {
  folder = makeTemporaryFolder('a52')
  runtime = join(folder, 'runtime')
  for (const each of ['root', 'runtime', 'hostile']) mkdirSync(join(folder, each))
  chmodSync(folder, 0o755)
  chownSync(runtime, unprivileged, unprivileged)
  // As on a server: for root alone.
  writeFileSync(join(folder, 'hufu.env'), `HUFU_KEYS=${inject('environment').HUFU_KEYS}\n`, { mode: 0o600 })
  api = await startApi({ ...inject('environment'), HUFU_PICTURES: join(runtime, 'socket') }, inject('logFolder'))
  t = await openHarness(inject('environment'), [api.url])
  site = await t.codeSite()
})
afterAll(async () => {
  drawer?.kill('SIGKILL')
  await t?.close()
  await api?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** What an attacker in the decoder would look for. */
function plant(
  report: string,
  folders = ['/', '/usr', '/tmp', '/opt', project, join(folder, 'hostile'), folder],
): string {
  const hostile = join(folder, 'hostile')
  cpSync(join(import.meta.dirname, 'hostile-decoder.mjs'), join(hostile, 'decoder.mjs'))
  const { HUFU_DATABASE_URL = '', HUFU_REDIS_URL = '' } = inject('environment')
  const addresses = [HUFU_DATABASE_URL, HUFU_REDIS_URL.replace('+cluster', ''), api.url].map((url) => new URL(url))
  const network = addresses.map(({ hostname, port }) => ({ host: hostname, port: Number(port) }))
  const files = [join(folder, 'hufu.env'), api.log, '/etc/passwd', '/etc/shadow', '/etc/hostname', '/proc/1/environ']
  const targets = { network, files, folders, pids: [api.pid, process.pid, 1], report }
  writeFileSync(join(hostile, 'targets.json'), JSON.stringify(targets))
  return join(hostile, 'decoder.mjs')
}

interface Reach {
  uid: number
  own: Record<string, string>
  environments: string[]
  commands: string[]
  memories: string[]
  signalled: number[]
  network: string[]
  interfaces: string[]
  files: string[]
  written: string[]
}

async function reported(file: string): Promise<Reach> {
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('}'), { timeout: 30_000 }).toBe(true)
  return JSON.parse(readFileSync(file, 'utf8')) as Reach
}

/** `hufu draw` as its unit starts it. */
function startDrawer(...flags: string[]): ChildProcess {
  const { program, args } = buildIn(artefact ?? project).command(['draw'], flags)
  const seen = [project, join(folder, 'hostile'), ...(artefact ? [artefact] : [])]
  const place = { root: join(folder, 'root'), program: seen, runtime, user: unprivileged }
  const options = artefact && flags.length > 0 ? [`NODE_OPTIONS=${flags.join(' ')}`] : []
  const path = `PATH=${process.execPath.replace(/\/node$/, '')}:/usr/bin:/bin`
  const [unshare, words] = asUnit('hufu-draw.service', place, ['/usr/bin/env', path, ...options, program, ...args])
  drawer = spawn(unshare, words, { stdio: ['ignore', 'ignore', 'inherit'], env: { PATH: process.env.PATH ?? '' } })
  return drawer
}

async function listening(): Promise<void> {
  await expect.poll(() => existsSync(join(runtime, 'socket')), { timeout: 30_000 }).toBe(true)
}

test('A52 a decoder that was taken over has no key, no environment of the server, no network and no file but its own', async () => {
  startDrawer('--import', plant('/run/hufu-draw/reach.json'))
  const reach = await reported(join(runtime, 'reach.json'))
  expect(reach.uid).toBe(unprivileged)
  expect(Object.keys(reach.own).filter((name) => name.startsWith('HUFU_'))).toEqual(['HUFU_PICTURES'])
  expect(reach).toMatchObject({ environments: [], commands: [], memories: [], signalled: [], network: [] })
  expect(reach.interfaces.filter((name) => name !== 'lo')).toEqual([])
  expect(reach).toMatchObject({ files: [], written: [] })
  const { environments, memories, signalled, network, files, written } = reach
  const got = [environments, memories, signalled, network, files, written]
  figure('keys, environments, processes, addresses and files reached', got.flat().length, ['=', 0])
})

test('A52 the same code without the sandbox reaches all of it: the test can detect it', async () => {
  const report = join(folder, 'control.json')
  const child = spawn(process.execPath, ['--import', plant(report, [folder]), '-e', ''], { stdio: 'ignore' })
  await once(child, 'exit')
  const reach = await reported(report)
  const key = inject('environment').HUFU_KEYS ?? ''
  expect(reach.environments.some((text) => text.includes(key))).toBe(true)
  expect(reach.network).toHaveLength(3)
  expect(reach.files).toContain(join(folder, 'hufu.env'))
  expect(reach.signalled).toContain(api.pid)
  expect(reach.written).toEqual([folder])
})

test('A52 pictures are drawn there and nowhere else: with the decoder away nothing is drawn, and no child begins', async () => {
  await listening()
  const user = await t.session(site, (await t.user(site, { password: undefined })).id)
  const send = async () => await upload(site, user, changeAvatar, await photo(), { url: api.url })
  expect((await send()).status).toBe(200)
  expect((await user.call(userInfo)).data?.avatar).toBe(true)
  expect(decoders(api.pid)).toEqual([])
  expect(decoders(drawer?.pid ?? 0)).toHaveLength(1)
  const gone = once(drawer as ChildProcess, 'exit')
  drawer?.kill('SIGKILL')
  await gone
  const { status, body } = await send()
  expect([status, body]).toEqual([503, expect.stringContaining('SERVICE_BUSY')])
  figure('children of the API that decode', decoders(api.pid).length, ['=', 0])
  startDrawer()
  await expect.poll(async () => (await send()).status, { timeout: 30_000, interval: 500 }).toBe(200)
})

/** Processes below one that decode pictures. */
const decoders = (pid: number) =>
  descendants(pid).filter((each) => {
    try {
      return readFileSync(`/proc/${each}/cmdline`, 'utf8').includes('decoder-process')
    } catch {
      return false
    }
  })

/** What a decoder under an attacker's control may answer. */
const lies: Record<string, (socket: Socket) => void> = {
  'nothing at all': (socket) => socket.end(),
  'no JSON': (socket) => socket.write('{\n'),
  'a line without end': (socket) => socket.write('x'.repeat(1_000_000)),
  'a length beyond all measure': (socket) => socket.write('{"width":1,"height":1,"length":99999999999}\n'),
  'a length below nothing': (socket) => socket.write('{"width":1,"height":1,"length":-1}\n'),
  'sides that are none': (socket) => socket.write('{"width":"1","height":{},"length":4}\nRIFF'),
  'something that is no picture': (socket) => socket.write('{"width":1,"height":1,"length":15}\n<script></script'),
  'more than was announced': (socket) => socket.write(`{"width":1,"height":1,"length":4}\n${'R'.repeat(100_000)}`),
  'an error of its own': (socket) => socket.write('"ADMIN"\n'),
}

test('A52 what such a decoder answers is kept as no picture, and the API goes on', async () => {
  const address = join(folder, 'liar')
  let lie: (socket: Socket) => void = () => {}
  const liar: Server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => lie(socket))
  }).listen(address)
  await once(liar, 'listening')
  const own = await startApi({ ...inject('environment'), HUFU_PICTURES: address }, inject('logFolder'))
  const user = await t.session(site, (await t.user(site, { password: undefined })).id, { urls: [own.url] })
  const kept: string[] = []
  for (const [name, answer] of Object.entries(lies)) {
    lie = answer
    const { status } = await upload(site, user, changeAvatar, await photo(), { url: own.url })
    expect([400, 503], name).toContain(status)
    if ((await user.call(userInfo)).data?.avatar) kept.push(name)
  }
  await sleep(100)
  expect(kept).toEqual([])
  figure(`of ${Object.keys(lies).length} lies kept as a picture`, kept.length, ['=', 0])
  liar.close()
  await own.stop()
}, 300_000)
