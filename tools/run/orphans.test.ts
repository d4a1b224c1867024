import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { boundToParent } from './bound-to-parent.ts'
import { descendants } from './descendants.ts'

const root = join(import.meta.dirname, '../..')
const load = (path: string) => `await import(${JSON.stringify(join(root, path))})`

/** A process that starts others and prints a line when they are up. */
async function startParent(program: string) {
  const bound = boundToParent(process.execPath, ['--input-type=module', '-e', program])
  const parent = spawn(...bound, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [printed] = (await Promise.race([once(parent.stdout, 'data'), once(parent, 'exit')])) as [Buffer]
  const all = descendants(parent.pid ?? 0)
  onTestFinished(() => {
    for (const pid of all.filter(running)) process.kill(pid, 'SIGKILL')
  })
  return { parent, printed: printed.toString().trim(), all, programs: all.map(programOf).sort() }
}

const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '')
const programOf = (pid: number) => read(`/proc/${pid}/comm`).trim()
/** One that has ended stays listed as a zombie until its new parent asks for its exit code. */
const running = (pid: number) => /^State:\s+[^ZX]/m.test(read(`/proc/${pid}/status`))

async function allEnd(pids: number[]): Promise<void> {
  const left = () => pids.filter(running).map((pid) => `${pid} ${programOf(pid)}`)
  await expect.poll(left, { timeout: 20_000, interval: 50 }).toEqual([])
}

/** Stores, a server that restarts on changes, and a proxy with a worker process. */
const product = ({ cluster }: { cluster: boolean }) => `
const { startStores } = ${load('tools/stores/stores.ts')}
const { hufu, runHufu, ready, stopOnSignal } = ${load('tools/run/product.ts')}
const { freePort } = ${load('tools/stores/ports.ts')}
const { startNginx } = ${load('verify/harness/nginx.ts')}
const stores = await startStores({ cluster: ${cluster} })
const port = await freePort()
const environment = {
  HUFU_DATABASE_URL: stores.postgres.url + 'postgres',
  HUFU_REDIS_URL: stores.redis.url,
  HUFU_KEYS: '1:' + Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64'),
  HUFU_PORT: String(port),
  HUFU_LOG_LEVEL: 'silent',
}
await hufu(environment, ['migrate'])
const server = runHufu('serve', environment, ['--watch'])
await ready('http://127.0.0.1:' + port, server)
const nginx = await startNginx('http://127.0.0.1:' + port)
stopOnSignal(async () => {
  await nginx.stop()
  await server.stop()
  await stores.stop()
})
console.log(stores.folder)
`

test('a product whose parent is killed ends, and the next start removes its folder', async () => {
  const { parent, printed: folder, all, programs } = await startParent(product({ cluster: true }))
  const count = (name: string) => programs.filter((program) => program.includes(name)).length
  expect(['redis-server', 'nginx', 'postgres'].map(count)).toEqual([7, 2, expect.any(Number)])
  expect(count('postgres')).toBeGreaterThan(3)
  // The parent, the watcher and the server.
  expect(all.length - ['redis-server', 'nginx', 'postgres'].map(count).reduce((sum, n) => sum + n)).toBe(3)
  parent.kill('SIGKILL')
  await allEnd(all)
  expect(existsSync(folder)).toBe(true)
  const next = `const { makeTemporaryFolder } = ${load('tools/run/temporary-folder.ts')}; console.log(makeTemporaryFolder('next'))`
  const { printed } = await startParent(next)
  expect([existsSync(folder), printed]).toEqual([false, expect.stringContaining('hufu-next-')])
  await expect.poll(() => existsSync(printed)).toBe(false)
})

test.for(['SIGTERM', 'SIGHUP'] as const)('a product whose parent is given %s is stopped', async (signal) => {
  const { parent, printed: folder, all } = await startParent(product({ cluster: false }))
  const exit = once(parent, 'exit')
  parent.kill(signal)
  await allEnd(all)
  expect([await exit, existsSync(folder)]).toEqual([[0, null], false])
})

/** What the runners of suites do: a program that runs another, here one that starts Redis and a process with a channel. */
const suite = `
const { startRedis } = ${load('tools/stores/redis.ts')}
const { makeTemporaryFolder } = ${load('tools/run/temporary-folder.ts')}
const { fork } = await import('node:child_process')
await startRedis(makeTemporaryFolder('suite'))
const execArgv = ['--import', ${JSON.stringify(join(import.meta.dirname, 'end-with-parent.ts'))}, '--input-type=module', '-e', 'process.send(1); setInterval(() => {}, 1000)']
fork('-', { execArgv }).once('message', () => console.log('up'))
`
const runner = `
const { runToEnd } = ${load('tools/run/run-to-end.ts')}
await runToEnd(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(suite)}])
`

test.for(['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGKILL'] as const)(
  'a suite whose runner is given %s ends with it',
  async (signal) => {
    const { parent, all } = await startParent(runner)
    // The runner, the suite, Redis and the process with a channel.
    expect(all).toHaveLength(4)
    parent.kill(signal)
    await allEnd(all)
  },
)
