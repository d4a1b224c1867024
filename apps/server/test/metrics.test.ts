import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, inject, test } from 'vitest'
import { boundToParent } from '../../../tools/run/bound-to-parent.ts'
import { freePort } from '../../../tools/stores/ports.ts'
import { createDatabase, testKeys } from './test-app.ts'

const cli = join(import.meta.dirname, '../src/cli/cli.ts')
const children: ChildProcess[] = []
afterAll(() => Promise.all(children.map((child) => child.kill('SIGINT') && once(child, 'exit'))))

const get = (port: number, path: string) =>
  fetch(`http://127.0.0.1:${port}${path}`).then(
    async (answer) => ({ status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }),
    () => undefined,
  )

async function started(command: 'serve' | 'work'): Promise<{ port: number; metrics: number }> {
  const [port, metrics] = [await freePort(), await freePort()]
  const child = spawn(...boundToParent(process.execPath, [cli, command]), {
    stdio: 'ignore',
    env: {
      ...process.env,
      HUFU_DATABASE_URL: await createDatabase(),
      HUFU_REDIS_URL: inject('redisUrl'),
      HUFU_KEYS: testKeys(),
      HUFU_PORT: String(port),
      HUFU_METRICS_PORT: String(metrics),
    },
  })
  children.push(child)
  for (let tries = 0; tries < 500 && !(await get(metrics, '/healthz')); tries++) await sleep(100)
  return { port, metrics }
}

const value = (text: string, series: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.split(' ')
      .at(-1),
  )

test('an API process reports its calls, its stores and itself on a separate port', async () => {
  const { port, metrics } = await started('serve')
  await get(port, '/healthz')
  await get(port, '/nowhere')
  const refused = 'hufu_calls_total{route="(page)",status="4xx"}'
  // A call is counted when its connection has taken the whole answer.
  await expect
    .poll(async () => value((await get(metrics, '/metrics'))?.text ?? '', refused), { timeout: 20_000 })
    .toBeGreaterThanOrEqual(1)
  const { status, type, text = '' } = (await get(metrics, '/metrics')) ?? {}
  expect([status, type]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  expect(value(text, 'hufu_calls_total{route="(page)",status="2xx"}')).toBeGreaterThanOrEqual(1)
  expect(value(text, 'hufu_database_connections{state="most"}')).toBe(10)
  expect(value(text, 'hufu_redis_ready{client="cache"}')).toBe(1)
  expect(value(text, 'process_resident_memory_bytes')).toBeGreaterThan(50e6)
  expect(text).toMatch(/hufu_build_info\{version="\d+\.\d+\.\d+",node="v\d+/)
  // Not on the public port.
  expect((await get(port, '/metrics'))?.text ?? '').not.toContain('hufu_')
  expect((await get(metrics, '/else'))?.status).toBe(404)
})

test('a worker reports its queues and its SMS', async () => {
  const { metrics } = await started('work')
  const { text = '' } = (await get(metrics, '/metrics')) ?? {}
  expect(value(text, 'hufu_jobs_waiting{queue="upkeep"}')).toBe(0)
  expect(value(text, 'hufu_jobs_waiting_seconds{queue="mail-notice"}')).toBe(0)
  expect(value(text, 'hufu_sms_budget_used_ratio')).toBe(0)
  expect(value(text, 'hufu_wrong_codes_ratio')).toBe(0)
})
