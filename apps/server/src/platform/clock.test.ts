import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '../../test/test-app.ts'
import { followClock } from './clock.ts'
import type { Log } from './log.ts'

let t: TestApp
beforeAll(async () => {
  t = await startTestApp()
})
afterAll(() => t.close())
afterEach(() => vi.restoreAllMocks())

async function storeTime(): Promise<number> {
  const { rows } = await t.deps.pool.query('SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now')
  return rows[0].now
}

test.each([300_000, -300_000])('a machine that is %i ms off goes by the clock of the store', async (off) => {
  const right = Date.now
  vi.spyOn(Date, 'now').mockImplementation(() => right() + off)
  const warned = vi.fn<(told: { aheadMs: number }, words: string) => void>()
  const began = performance.now()
  const clock = await followClock(t.deps.pool, { warn: warned } as unknown as Log)
  // It can't be more exact than the round trip of the query.
  const exact = performance.now() - began + 1
  const [before, now, after] = [await storeTime(), clock.now(), await storeTime()]
  expect(now).toBeGreaterThan(before - exact)
  expect(now).toBeLessThan(after + exact)
  expect(warned).toHaveBeenCalledOnce()
  expect(Math.abs((warned.mock.calls[0]?.[0].aheadMs ?? 0) - off)).toBeLessThan(exact)
  clock.close()
})

test('a clock of the machine that jumps afterwards changes nothing', async () => {
  const clock = await followClock(t.deps.pool, t.deps.log)
  const [before, began] = [clock.now(), performance.now()]
  vi.spyOn(Date, 'now').mockReturnValue(0)
  await sleep(20)
  const [passed, really] = [clock.now() - before, performance.now() - began]
  expect(passed).toBeGreaterThanOrEqual(19)
  expect(passed).toBeLessThanOrEqual(really + 1)
  clock.close()
})

test('without the store it is the clock of the machine', async () => {
  const away = { query: () => Promise.reject(new Error('away')) } as unknown as typeof t.deps.pool
  const clock = await followClock(away, t.deps.log)
  const [before, now, after] = [Date.now(), clock.now(), Date.now()]
  expect(now).toBeGreaterThanOrEqual(before - 100)
  expect(now).toBeLessThanOrEqual(after + 100)
  clock.close()
})
