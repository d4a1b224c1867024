import { setImmediate as turn } from 'node:timers/promises'
import type { PoolClient } from 'pg'
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest'
import { times } from '../../../test/test-app.ts'
import { CallPool } from './bounded-pool.ts'

const tick = 25
let now = 0
let pool: CallPool
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  pool = openPool(2)
})
afterEach(async () => {
  await pool.end()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const openPool = (max: number) => new CallPool({ connectionString: `${inject('postgresUrl')}postgres`, max })

/** Blocks the process for so long: its timers come late. */
function pause(ms: number): void {
  now += ms
  vi.advanceTimersByTime(tick)
}

function pass(ms: number): void {
  for (let passed = 0; passed < ms; passed += tick) pause(tick)
}

const refused = (asked: Promise<unknown>) => expect(asked).rejects.toMatchObject({ code: 'SERVICE_BUSY' })

async function takeAll(): Promise<PoolClient[]> {
  return await Promise.all(times(2, () => pool.connect()))
}

const one = async () => (await pool.query('SELECT 1')).rowCount

test('a burst is served whole, also by a pool that was idle for long', async () => {
  expect(await one()).toBe(1)
  pass(10_000)
  expect(await Promise.all(times(150, one))).toEqual(times(150, () => 1))
})

test('while all connections hang, who waits is refused soon and who comes then at once', async () => {
  const taken = await takeAll()
  let over = 0
  const waits = [pool.connect(), one()].map((asked) => refused(asked).finally(() => over++))
  pass(125)
  await turn()
  expect(over).toBe(0)
  pass(50)
  await Promise.all(waits)
  await refused(pool.connect())
  for (const client of taken) client.release()
  expect(await one()).toBe(1)
})

test('while connections come back, who waits is refused after 300 milliseconds', async () => {
  const [first, second] = await takeAll()
  const waits = times(3, () => pool.connect())
  const last = refused(waits.at(-1) as Promise<unknown>)
  pass(125)
  first?.release()
  const next = await waits[0]
  pass(125)
  second?.release()
  const another = await waits[1]
  pass(50)
  await last
  next?.release()
  another?.release()
})

test('a line has an end', async () => {
  const answers = await Promise.allSettled(times(1_000, one))
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(202)
})

test('a turn that comes too late goes to the next in line', async () => {
  const [first, second] = await takeAll()
  const late = refused(pool.connect())
  pass(175)
  await late
  first?.release()
  expect(await one()).toBe(1)
  second?.release()
})

test('a pause of the process itself is no hang of the database', async () => {
  for (const client of await takeAll()) client.release()
  const asked = times(20, one)
  await turn()
  pause(700)
  asked.push(one())
  expect(await Promise.all(asked)).toEqual(times(21, () => 1))
})

test('who still waits when the pool ends is refused', async () => {
  const ended = openPool(1)
  const client = await ended.connect()
  const left = refused(ended.connect())
  const end = ended.end()
  await left
  client.release()
  await end
})
