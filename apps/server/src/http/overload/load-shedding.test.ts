import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { times } from '../../../test/test-app.ts'
import { createLimit, startShedding } from './load-shedding.ts'

const start = (config: Parameters<typeof startShedding>[0]) => startShedding(config, { warn: () => undefined }, () => 0)

test('a burst lowers nothing; an overload that lasts lowers the limit to few calls, and it comes back within seconds', () => {
  const limit = createLimit(1_000)
  limit.sampled(true, 900)
  limit.sampled(true, 900)
  expect(limit.calls).toBe(1_000)
  limit.sampled(true, 900)
  expect(limit.calls).toBe(720)
  for (const _ of times(30, () => 0)) limit.sampled(true, limit.calls)
  expect(limit.calls).toBe(128)
  for (const _ of times(50, () => 0)) limit.sampled(false, 10)
  expect(limit.calls).toBe(1_000)
})

test('what is late while few calls are in progress lowers nothing', () => {
  const limit = createLimit(1_000)
  for (const _ of times(20, () => 0)) limit.sampled(true, 40)
  expect(limit.calls).toBe(1_000)
})

test('a limit below the fewest stays as it was set', () => {
  const limit = createLimit(1)
  for (const _ of times(5, () => 0)) limit.sampled(true, 1)
  expect(limit.calls).toBe(1)
})

test.each([true, false])('with load shedding %s a call and a poll beyond the limits', (loadShedding) => {
  const shedding = start({ maxCalls: 10, loadShedding })
  for (const _ of times(10, () => 0)) shedding.begin()
  expect(shedding.full()).toBe(loadShedding)
  expect(times(257, () => shedding.beginPoll()).at(-1)).toBe(!loadShedding)
  shedding.close()
})

test('after a pause of the process what is read first may have come at any time of it', async () => {
  const shedding = start({ maxCalls: 10, loadShedding: true })
  try {
    await sleep(120)
    const paused = performance.now()
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
    // In the next turn of the event loop timers have run, as they have when sockets are read.
    await turn()
    await turn()
    expect(shedding.unreadSince()).toBeLessThan(paused)
    await expect.poll(() => shedding.unreadSince(), { timeout: 10_000 }).toBeGreaterThan(paused + 290)
  } finally {
    shedding.close()
  }
})
