import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { times } from '../../test/test-app.ts'
import { AppError } from './app-error.ts'
import { createLog } from './log.ts'
import { createRandomDelay } from './random-delay.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const quiet = createLog({ logLevel: 'silent' })

test('what is left for later begins at moments spread over half a second, none with the answer', async () => {
  const randomDelay = createRandomDelay(quiet)
  let begun = 0
  for (const _ of times(200, () => 0)) randomDelay.runAfterRandomDelay(async () => void begun++)
  expect(begun).toBe(0)
  vi.advanceTimersByTime(250)
  expect(begun).toBeGreaterThan(40)
  expect(begun).toBeLessThan(160)
  vi.advanceTimersByTime(250)
  expect(begun).toBe(200)
})

test('a process that ends does first what still waits, and waits for what has begun', async () => {
  const randomDelay = createRandomDelay(quiet)
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  let [begun, done] = [0, 0]
  for (const _ of times(20, () => 0))
    randomDelay.runAfterRandomDelay(async () => {
      begun++
      await mayEnd
      done++
    })
  vi.advanceTimersByTime(250)
  const flushed = randomDelay.flush().then(() => done)
  expect(begun).toBe(20)
  end()
  expect(await flushed).toBe(20)
  vi.advanceTimersByTime(600)
  expect(begun).toBe(20)
})

test('a failure is logged and goes no further; a refusal is noted elsewhere', async () => {
  const lines: string[] = []
  const randomDelay = createRandomDelay(createLog({ logLevel: 'warn' }, { write: (line) => void lines.push(line) }))
  randomDelay.runAfterRandomDelay(async () => {
    throw new Error('the store is away')
  })
  randomDelay.runAfterRandomDelay(async () => {
    throw new AppError('CODE_SEND_FAILED')
  })
  await randomDelay.flush()
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('the store is away')
})
