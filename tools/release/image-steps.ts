import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeTemporaryFolder } from '../run/temporary-folder.ts'
import { freePorts } from '../stores/ports.ts'
import { startStores } from '../stores/stores.ts'
import { type Image, imageOf, readDockerfile } from './dockerfile.ts'
import { type Base, follow, inContainer, makeBase, type Stage } from './image-root.ts'

// pnpm image: follows deploy/Dockerfile step by step where there is no engine for containers, in an empty Debian 12, and runs
// what comes out: without root, without rights, on files that can't be changed. Needs root, debootstrap and the network.

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1).padStart(6)} s`

/** Of the files themselves: what is mounted below isn't theirs. */
const megabytes = (folder: string): number =>
  Number.parseInt(execFileSync('du', ['-smx', folder], { encoding: 'utf8' }), 10)

/** The files of the last stage. */
function build(folder: string, base: Base): string {
  const stages = new Map<string, string>()
  let stage: Stage = { root: '', folder: '/' }
  for (const instruction of readDockerfile()) {
    const began = performance.now()
    if (instruction.name === 'FROM') {
      const [image = '', , name = 'last'] = instruction.rest.split(' ')
      assert.match(image, /^node:24-bookworm-slim$/)
      stage = { root: join(folder, name), folder: '/' }
      stages.set(name, stage.root)
      execFileSync('cp', ['-ax', base.root, stage.root])
    } else follow(instruction, stage, stages, base)
    console.log(`${seconds(began)}  ${instruction.name} ${instruction.rest.slice(0, 90)}`)
  }
  return stage.root
}

type Words = (...words: string[]) => ReturnType<typeof inContainer>

async function ended(child: ReturnType<typeof inContainer>): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}

async function answers(url: string): Promise<void> {
  for (let tried = 0; ; tried++) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    if (tried > 200) throw new Error(`${url} doesn't answer`)
    await sleep(100)
  }
}

/** What a container may not do, each with how it is tried. */
const forbidden: Record<string, string> = {
  'write beside its program': 'touch /opt/hufu/x',
  'write anywhere else': 'touch /home/node/x',
  'be root': 'test "$(id -u)" = 0',
  'have a right': 'grep -qE "^Cap(Eff|Bnd):.*[1-9a-f]" /proc/self/status',
}

async function use(image: Image, start: Words, port: number, metrics: number): Promise<void> {
  for (const [words, script] of Object.entries(forbidden))
    assert.notEqual(await ended(start('sh', '-c', `${script} 2>/dev/null`)), 0, `it may ${words}`)
  assert.equal(await ended(start('sh', '-c', 'touch /tmp/x')), 0, 'it can not write below /tmp')
  assert.equal(await ended(start(...image.entrypoint, 'migrate')), 0, 'migrate failed')
  const api = start(...image.entrypoint, ...image.command)
  const began = performance.now()
  for (const path of ['/healthz', '/readyz']) await answers(`http://127.0.0.1:${port}${path}`)
  console.log(`${seconds(began)}  ready, in which it starts ${image.entrypoint} ${image.command}`)
  await answers(`http://127.0.0.1:${metrics}/metrics`)
  assert.equal(await ended(start(...image.healthcheck)), 0, 'its health check fails')
  api.kill('SIGTERM')
  assert.equal(await ended(api), 0, 'the API ended in disorder')
  assert.notEqual(await ended(start(...image.healthcheck)), 0, 'its health check can not fail')
  const worker = start(...image.entrypoint, 'work')
  await answers(`http://127.0.0.1:${metrics}/healthz`)
  worker.kill('SIGTERM')
  assert.equal(await ended(worker), 0, 'the worker ended in disorder')
}

async function main(): Promise<void> {
  const folder = makeTemporaryFolder('image')
  const stores = await startStores()
  const started: ReturnType<typeof inContainer>[] = []
  try {
    const began = performance.now()
    mkdirSync(join(folder, 'base'))
    const base = makeBase(join(folder, 'base'))
    console.log(`${seconds(began)}  base`)
    const root = build(folder, base)
    const image = imageOf(readDockerfile())
    const [port = 0, metrics = 0] = await freePorts(2)
    const own = {
      HUFU_DATABASE_URL: `${stores.postgres.url}postgres`,
      HUFU_REDIS_URL: stores.redis.url,
      HUFU_KEYS: `1:${randomBytes(32).toString('base64')}`,
      HUFU_PORT: String(port),
      HUFU_METRICS_PORT: String(metrics),
    }
    assert.equal(image.user, 'node')
    const start: Words = (...words) => {
      const child = inContainer(root, image, own, words)
      started.push(child)
      return child
    }
    await use(image, start, port, metrics)
    console.log(
      `the product in the image ${megabytes(join(root, 'opt/hufu'))} MB, the rest ${megabytes(root) - megabytes(join(root, 'opt/hufu'))} MB`,
    )
  } finally {
    for (const child of started) child.kill('SIGKILL')
    await Promise.all(started.map(ended))
    await stores.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

await main()
