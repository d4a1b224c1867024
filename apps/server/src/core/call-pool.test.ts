import type { PoolClient } from 'pg'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { times } from '../../test/test-app.ts'
import { CallPool } from './call-pool.ts'

let pool: CallPool
beforeEach(() => {
  pool = new CallPool({ connectionString: `${inject('postgresUrl')}postgres`, max: 2, connectionTimeoutMillis: 1_000 })
})
afterEach(() => pool.end())

const refused = async (asked: Promise<unknown>) => {
  const started = performance.now()
  await expect(asked).rejects.toMatchObject({ code: 'SERVICE_BUSY' })
  return performance.now() - started
}

async function takeAll(): Promise<PoolClient[]> {
  return await Promise.all(times(2, () => pool.connect()))
}

test('a burst is served whole, also by a pool that was idle for long', async () => {
  expect(await Promise.all(times(150, () => pool.query('SELECT 1').then(({ rowCount }) => rowCount)))).toEqual(
    times(150, () => 1),
  )
})

test('while all connections hang, who waits is refused soon and who comes then at once', async () => {
  const taken = await takeAll()
  const waits = await Promise.all([refused(pool.connect()), refused(pool.query('SELECT 1'))])
  for (const ms of waits) expect(ms).toBeGreaterThan(100)
  for (const ms of waits) expect(ms).toBeLessThan(500)
  expect(await refused(pool.connect())).toBeLessThan(50)
  for (const client of taken) client.release()
  expect((await pool.query('SELECT 1')).rowCount).toBe(1)
})

test('a line has an end', async () => {
  const answers = await Promise.allSettled(times(1_000, () => pool.query('SELECT 1')))
  const served = answers.filter(({ status }) => status === 'fulfilled').length
  expect(served).toBeGreaterThan(2)
  expect(served).toBeLessThanOrEqual(202)
})

test('a turn that comes too late goes to the next in line', async () => {
  const [first, second] = await takeAll()
  await refused(pool.connect())
  first?.release()
  expect((await pool.query('SELECT 1')).rowCount).toBe(1)
  second?.release()
})

test('a pause of the process itself is no hang of the database', async () => {
  for (const client of await takeAll()) client.release()
  const asked = times(20, () => pool.query('SELECT 1'))
  await new Promise(setImmediate)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700)
  asked.push(pool.query('SELECT 1'))
  expect((await Promise.all(asked)).map(({ rowCount }) => rowCount)).toEqual(times(21, () => 1))
})

test('who still waits when the pool ends is refused', async () => {
  const ended = new CallPool({ connectionString: `${inject('postgresUrl')}postgres`, max: 1 })
  const client = await ended.connect()
  const left = refused(ended.connect())
  const end = ended.end()
  expect(await left).toBeLessThan(100)
  client.release()
  await end
})
