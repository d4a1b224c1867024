import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startTestApp, type TestApp } from '../../test/test-app.ts'
import { followClock } from './clock.ts'

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
  const warned = vi.spyOn(t.deps.log, 'warn')
  const clock = await followClock(t.deps.pool, t.deps.log)
  expect(Math.abs(clock.now() - (await storeTime()))).toBeLessThan(200)
  expect(warned).toHaveBeenCalledExactlyOnceWith({ aheadMs: expect.closeTo(off, -3) }, expect.any(String))
  clock.close()
})

test('a clock of the machine that jumps afterwards changes nothing', async () => {
  const clock = await followClock(t.deps.pool, t.deps.log)
  const before = clock.now()
  vi.spyOn(Date, 'now').mockReturnValue(0)
  await sleep(20)
  const passed = clock.now() - before
  expect(passed).toBeGreaterThanOrEqual(19)
  expect(passed).toBeLessThan(1_000)
  clock.close()
})

test('without the store it is the clock of the machine', async () => {
  const away = { query: () => Promise.reject(new Error('away')) } as unknown as typeof t.deps.pool
  const clock = await followClock(away, t.deps.log)
  expect(Math.abs(clock.now() - Date.now())).toBeLessThan(200)
  clock.close()
})
