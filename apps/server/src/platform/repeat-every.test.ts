import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { repeatEvery } from './repeat-every.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a run begins so long after the end of the one before, and none after the stop', async () => {
  let [begun, running] = [0, 0]
  const atOnce: number[] = []
  const repeated = repeatEvery(100, async () => {
    begun++
    atOnce.push(++running)
    await new Promise((resolve) => setTimeout(resolve, 250))
    running--
  })
  await vi.advanceTimersByTimeAsync(99)
  expect(begun).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(begun).toBe(1)
  await vi.advanceTimersByTimeAsync(349)
  expect(begun).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(begun).toBe(2)
  // Stopped in the middle of a run, which ends and is not repeated.
  repeated.stop()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(begun).toBe(2)
  expect(running).toBe(0)
  expect(atOnce).toEqual([1, 1])
})

test('work that fails is repeated all the same', async () => {
  let begun = 0
  const repeated = repeatEvery(100, async () => {
    begun++
    throw new Error('failed')
  })
  await vi.advanceTimersByTimeAsync(350)
  expect(begun).toBe(3)
  repeated.stop()
})
